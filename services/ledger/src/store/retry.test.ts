import { RpcError } from '@tollgate/common/errors';
import { describe, expect, it } from 'vitest';
import { isDataError, isMissingPartition, isOutage, withRetries } from './retry.ts';

function coded(code: string): Error {
  return Object.assign(new Error('from the database'), { code });
}

const quick = { attempts: 4, firstDelayMs: 1, random: () => 0 };

/** Fails so many times with this error before it succeeds; counts its calls. */
function failing(times: number, error: Error) {
  const work = { calls: 0, run: async () => (++work.calls > times ? 'done' : Promise.reject(error)) };
  return work;
}

describe('withRetries', () => {
  it('goes on after errors that pass', async () => {
    const work = failing(3, coded('40P01'));
    expect(await withRetries(work.run, quick)).toBe('done');
    expect(work.calls).toBe(4);
  });

  it('gives up after its attempts, with the last error', async () => {
    const work = failing(9, coded('ECONNREFUSED'));
    await expect(withRetries(work.run, quick)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(work.calls).toBe(4);
  });

  it('does not repeat what cannot succeed', async () => {
    const work = failing(1, coded('23505'));
    await expect(withRetries(work.run, quick)).rejects.toMatchObject({ code: '23505' });
    expect(work.calls).toBe(1);
  });

  it('stops when the signal aborts', async () => {
    const work = failing(9, coded('57P01'));
    const signal = AbortSignal.abort();
    await expect(withRetries(work.run, { ...quick, signal })).rejects.toMatchObject({ code: '57P01' });
    expect(work.calls).toBe(1);
  });
});

describe('errors', () => {
  it.each([
    ...['40001', '55P03', '57P03', '08006', '25006', '28P01', '3D000', '42501', '42P01', '53100', '53200', 'XX000'],
    ...['ECONNRESET', 'EAI_AGAIN', 'CERT_HAS_EXPIRED'],
  ])('%s is an outage', (code) => {
    expect(isOutage(coded(code))).toBe(true);
    expect(isDataError(coded(code))).toBe(false);
  });

  it.each(['22003', '23505', '23514'])('%s is caused by the data', (code) => {
    const error = Object.assign(coded(code), { constraint: 'a_constraint' });
    expect(isOutage(error)).toBe(false);
    expect(isDataError(error)).toBe(true);
  });

  it('of a row that no partition takes is an outage', () => {
    const error = Object.assign(coded('23514'), { constraint: undefined });
    expect(isMissingPartition(error)).toBe(true);
    expect(isOutage(error)).toBe(true);
    expect(isDataError(error)).toBe(false);
  });

  it('without a code are outages when the connection was lost or the password is missing', () => {
    expect(isOutage(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isOutage(new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'))).toBe(true);
  });

  it('of our own code and refusals are none', () => {
    expect(isOutage(new Error('a mistake of ours'))).toBe(false);
    expect(isOutage(Object.assign(new RangeError('too large'), { code: 'ERR_OUT_OF_RANGE' }))).toBe(false);
    expect(isOutage(new RpcError('not_found', 'there is none'))).toBe(false);
  });
});

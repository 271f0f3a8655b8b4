import { describe, expect, it } from 'vitest';
import { isDataError, isTransient, withRetries } from './retry.ts';

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
    const work = failing(1, coded('23514'));
    await expect(withRetries(work.run, quick)).rejects.toMatchObject({ code: '23514' });
    expect(work.calls).toBe(1);
  });

  it('stops when it is told to', async () => {
    const work = failing(9, coded('57P01'));
    const signal = AbortSignal.abort();
    await expect(withRetries(work.run, { ...quick, signal })).rejects.toMatchObject({ code: '57P01' });
    expect(work.calls).toBe(1);
  });
});

describe('errors', () => {
  it.each(['40001', '55P03', '57P03', '08006', '25006', 'ECONNRESET'])('%s passes by itself', (code) => {
    expect(isTransient(coded(code))).toBe(true);
    expect(isDataError(coded(code))).toBe(false);
  });

  it.each(['22003', '23505', '23514'])('%s lies in the data', (code) => {
    expect(isTransient(coded(code))).toBe(false);
    expect(isDataError(coded(code))).toBe(true);
  });

  it('without a code pass when the connection was lost', () => {
    expect(isTransient(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isTransient(new Error('a mistake of ours'))).toBe(false);
  });
});

import { newId, newTraceId } from '@tollgate/common/ids';
import { describe, expect, it } from 'vitest';
import { idsIn } from './find-request.ts';
import { MAX_WAITING, PendingLookups } from './pending-lookups.ts';

describe('id', () => {
  it('of version 7 is looked up as a request id first, another one as a trace id', () => {
    const digits = '0190a0b0000070008000000000000000';
    expect(idsIn('0190A0B0-0000-7000-8000-000000000000')).toEqual([
      { $case: 'requestId', value: '0190a0b0-0000-7000-8000-000000000000' },
      { $case: 'traceId', value: digits },
    ]);
    expect(idsIn('0190a0b0-0000-4000-8000-000000000000').map(({ $case }) => $case)).toEqual(['traceId', 'requestId']);
    expect(idsIn(digits.toUpperCase())).toEqual([{ $case: 'traceId', value: digits }]);
    expect(idsIn('0190a0b0-000070008000000000000000-')).toEqual([{ $case: 'traceId', value: digits }]);
    expect(idsIn('0190a0b0')).toEqual([]);
  });
});

describe('lookup', () => {
  const waitOf = (id: string, nowMs = Date.now()) =>
    new PendingLookups().run('account', id, nowMs, (waitMs) => Promise.resolve(waitMs));

  it('waits for a request that may be young', async () => {
    expect(await waitOf(newId())).toBe(2_000);
    expect(await waitOf(newTraceId())).toBe(2_000);
    expect(await waitOf(newId(), Date.now() + 61_000)).toBe(0);
    expect(await waitOf(newId(), Date.now() - 6_000)).toBe(0);
  });

  it('does not wait while many others of the account do', async () => {
    const lookups = new PendingLookups();
    const { promise, resolve } = Promise.withResolvers<number>();
    const waiting = Array.from({ length: MAX_WAITING }, () => lookups.run('a', newId(), Date.now(), () => promise));
    const next = (account: string) => lookups.run(account, newId(), Date.now(), (waitMs) => Promise.resolve(waitMs));
    expect(await next('a')).toBe(0);
    expect(await next('b')).toBe(2_000);
    resolve(1);
    await Promise.all(waiting);
    expect(await next('a')).toBe(2_000);
  });

  it('that fails makes room for others', async () => {
    const lookups = new PendingLookups();
    for (let count = 0; count < MAX_WAITING; count++) {
      await expect(lookups.run('a', newId(), Date.now(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    expect(await lookups.run('a', newId(), Date.now(), (waitMs) => Promise.resolve(waitMs))).toBe(2_000);
  });
});

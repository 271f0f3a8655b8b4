import { describe, expect, it } from 'vitest';
import { ChargeWaiters } from './charge-waiters.ts';

const FOREVER_MS = 60_000;
const never = new AbortController().signal;

describe('waiters', () => {
  it('are woken by either id of their own account only', async () => {
    const waiters = new ChargeWaiters();
    const woken: string[] = [];
    const wait = (account: string, id: string) =>
      waiters.wait(account, id, FOREVER_MS, never).then(() => woken.push(`${account}/${id}`));
    const all = [wait('a', 'request'), wait('a', 'trace'), wait('a', 'trace'), wait('b', 'request')];
    waiters.wake('a', 'request', 'trace');
    await Promise.all(all.slice(0, 3));
    expect(woken.sort()).toEqual(['a/request', 'a/trace', 'a/trace']);
    waiters.wake('b', 'request', 'other');
    await Promise.all(all);
  });

  it('stop when their time is over or their caller leaves', async () => {
    const waiters = new ChargeWaiters();
    await waiters.wait('a', 'request', 1, never);
    await waiters.wait('a', 'request', FOREVER_MS, AbortSignal.abort());
    const leaving = new AbortController();
    const waiting = waiters.wait('a', 'request', FOREVER_MS, leaving.signal);
    leaving.abort();
    await waiting;
  });

  it('are bounded in number, and give their places back', () => {
    const waiters = new ChargeWaiters();
    const leave = Array.from({ length: 500 }, () => waiters.enter());
    expect(() => waiters.enter()).toThrow('too many lookups');
    expect(waiters.idle).toBe(false);
    for (const one of leave) one();
    expect(waiters.idle).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { REMEMBER_MS, RevokedKeys, UNKNOWN_POSITION } from './revoked-keys.ts';
import { Semaphore } from './semaphore.ts';

describe('RevokedKeys', () => {
  it('remembers for longer than any cached record lives, then lets go', () => {
    const revoked = new RevokedKeys();
    revoked.add('a', 0);
    revoked.add('b', REMEMBER_MS);
    expect(revoked.has('a')).toBe(true);
    revoked.add('c', REMEMBER_MS + 1);
    expect([revoked.has('a'), revoked.has('b'), revoked.has('c')]).toEqual([false, true, true]);
    expect(revoked.complete(REMEMBER_MS + 1)).toBe(true);
  });

  it('says so for as long as it matters when it had to forget one too early', () => {
    const revoked = new RevokedKeys(2);
    for (const key of ['a', 'b']) revoked.add(key, 0);
    expect(revoked.complete(0)).toBe(true);
    revoked.add('c', 1);
    expect(revoked.has('a')).toBe(false);
    expect(revoked.complete(1)).toBe(false);
    expect(revoked.complete(1 + REMEMBER_MS)).toBe(false);
    expect(revoked.complete(2 + REMEMBER_MS)).toBe(true);
  });
});

describe('changes of keys and accounts', () => {
  const key = { keyId: 'k', revision: 5n, accountId: 'a', accountRevision: 7n };

  it('put records of an earlier revision out of date, of the key and of its account', () => {
    const revoked = new RevokedKeys();
    expect(revoked.outdated(key, UNKNOWN_POSITION)).toBe(false);
    revoked.addChange('k', 5n, 0);
    revoked.addChange('a', 7n, 0);
    revoked.addChange('other', 99n, 0);
    expect(revoked.outdated(key, UNKNOWN_POSITION)).toBe(false);
    revoked.addChange('k', 6n, 0);
    expect(revoked.outdated(key, UNKNOWN_POSITION)).toBe(true);
    expect(revoked.outdated({ ...key, revision: 6n }, UNKNOWN_POSITION)).toBe(false);
    revoked.addChange('a', 8n, 0);
    expect(revoked.outdated({ ...key, revision: 6n }, UNKNOWN_POSITION)).toBe(true);
  });

  it('leave what auth was asked for afterwards as it is, even if a restore has taken its revision back', () => {
    const revoked = new RevokedKeys();
    const before = revoked.position;
    revoked.addChange('k', 6n, 0);
    expect(revoked.outdated(key, before)).toBe(true);
    expect(revoked.outdated(key, revoked.position)).toBe(false);
    expect([revoked.changedSince('k', before), revoked.changedSince('k', revoked.position)]).toEqual([true, false]);
    revoked.addChange('a', 8n, 0);
    expect(revoked.changedSince('k', before + 1)).toBe(false);
  });

  it('never take a revision back', () => {
    const revoked = new RevokedKeys();
    revoked.addChange('k', 6n, 0);
    revoked.addChange('k', 2n, 0);
    expect(revoked.outdated(key, UNKNOWN_POSITION)).toBe(true);
  });

  it('are forgotten when no record from before can be left, and untrusted where that was too early', () => {
    const revoked = new RevokedKeys(2);
    revoked.addChange('k', 6n, 0);
    revoked.addChange('b', 6n, REMEMBER_MS + 1);
    expect(revoked.outdated(key, UNKNOWN_POSITION)).toBe(false);
    expect(revoked.complete(REMEMBER_MS + 1)).toBe(true);
    revoked.addChange('c', 6n, REMEMBER_MS + 1);
    revoked.add('d', REMEMBER_MS + 1);
    expect(revoked.complete(REMEMBER_MS + 1)).toBe(false);
  });

  it('of a kind that is not known make nothing trusted for a while', () => {
    const revoked = new RevokedKeys();
    revoked.addUnknown(0);
    expect([revoked.complete(REMEMBER_MS), revoked.complete(REMEMBER_MS + 1)]).toEqual([false, true]);
  });
});

describe('Semaphore', () => {
  it('lets a bounded number in, and others in order as it is released', async () => {
    const semaphore = new Semaphore(1, 2);
    expect(await semaphore.acquire(1_000)).toBe(true);
    const order: number[] = [];
    const second = semaphore.acquire(10_000).then((acquired) => order.push(acquired ? 2 : -2));
    const third = semaphore.acquire(10_000).then((acquired) => order.push(acquired ? 3 : -3));
    expect(await semaphore.acquire(10_000)).toBe(false);
    semaphore.release();
    await second;
    semaphore.release();
    await third;
    expect(order).toEqual([2, 3]);
    expect(await semaphore.acquire(1)).toBe(false);
    semaphore.release();
    expect(await semaphore.acquire(1)).toBe(true);
  });
});

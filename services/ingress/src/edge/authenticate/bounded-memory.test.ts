import { describe, expect, it } from 'vitest';
import { Semaphore } from './key-resolver.ts';
import { REMEMBER_MS, RevokedKeys, UNKNOWN_POSITION } from './revoked-keys.ts';

describe('RevokedKeys', () => {
  it('remembers changes for longer than any cached record lives, then drops them', () => {
    const revoked = new RevokedKeys();
    revoked.add('a', 0);
    revoked.add('b', REMEMBER_MS);
    expect(revoked.has('a')).toBe(true);
    revoked.add('c', REMEMBER_MS + 1);
    expect([revoked.has('a'), revoked.has('b'), revoked.has('c')]).toEqual([false, true, true]);
    expect(revoked.complete(REMEMBER_MS + 1)).toBe(true);
  });

  it('reports for as long as it matters that it had to drop one too early', () => {
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

  it('invalidate records of an earlier revision of the key and of its account', () => {
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

  it('do not invalidate what was requested from auth afterwards, even if a restore has lowered its revision', () => {
    const revoked = new RevokedKeys();
    const before = revoked.position;
    revoked.addChange('k', 6n, 0);
    expect(revoked.outdated(key, before)).toBe(true);
    expect(revoked.outdated(key, revoked.position)).toBe(false);
    expect([revoked.changedSince('k', before), revoked.changedSince('k', revoked.position)]).toEqual([true, false]);
    revoked.addChange('a', 8n, 0);
    expect(revoked.changedSince('k', before + 1)).toBe(false);
  });

  it('never lower a revision', () => {
    const revoked = new RevokedKeys();
    revoked.addChange('k', 6n, 0);
    revoked.addChange('k', 2n, 0);
    expect(revoked.outdated(key, UNKNOWN_POSITION)).toBe(true);
  });

  it('are dropped when no earlier record can be left, and end trust if that was too early', () => {
    const revoked = new RevokedKeys(2);
    revoked.addChange('k', 6n, 0);
    revoked.addChange('b', 6n, REMEMBER_MS + 1);
    expect(revoked.outdated(key, UNKNOWN_POSITION)).toBe(false);
    expect(revoked.complete(REMEMBER_MS + 1)).toBe(true);
    revoked.addChange('c', 6n, REMEMBER_MS + 1);
    revoked.add('d', REMEMBER_MS + 1);
    expect(revoked.complete(REMEMBER_MS + 1)).toBe(false);
  });

  it('of an unknown kind end trust for a while', () => {
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

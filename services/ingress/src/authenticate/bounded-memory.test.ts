import { describe, expect, it } from 'vitest';
import { Recent } from './recent.ts';
import { REMEMBER_MS, RevokedKeys, UNKNOWN_POSITION } from './revoked-keys.ts';
import { Slots } from './slots.ts';

describe('Recent', () => {
  it('forgets what is past its time and what is longest untouched', () => {
    const recent = new Recent<number>(2);
    recent.set('a', 1, 100);
    recent.set('b', 2, 100);
    expect(recent.get('a', 99)).toBe(1);
    recent.set('c', 3, 100);
    expect(recent.get('b', 99)).toBeUndefined();
    expect(recent.get('a', 99)).toBe(1);
    expect(recent.get('a', 100)).toBeUndefined();
    expect(recent.size).toBe(1);
  });
});

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

describe('Slots', () => {
  it('lets so many in, then others in order as slots come free', async () => {
    const slots = new Slots(1, 2);
    expect(await slots.take(1_000)).toBe(true);
    const order: number[] = [];
    const second = slots.take(10_000).then((taken) => order.push(taken ? 2 : -2));
    const third = slots.take(10_000).then((taken) => order.push(taken ? 3 : -3));
    expect(await slots.take(10_000)).toBe(false);
    slots.release();
    await second;
    slots.release();
    await third;
    expect(order).toEqual([2, 3]);
    expect(await slots.take(1)).toBe(false);
    slots.release();
    expect(await slots.take(1)).toBe(true);
  });
});

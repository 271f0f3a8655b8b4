import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { KeyCache } from '../src/keys/index.ts';
import { type BucketTake, LimitStore } from '../src/limits/index.ts';
import type { RedisClient } from '../src/redis/client.ts';
import { cachedKey } from './cached-key.ts';

const SHA256 = 'ab'.repeat(32);
const OTHER_SHA256 = 'cd'.repeat(32);

/** Writes, reads and removes the records of keys of several accounts, which are on several nodes of a cluster. */
export async function holdsRecords(client: RedisClient, accountTags = newTags()): Promise<void> {
  const cache = new KeyCache(client);
  for (const accountTag of accountTags) {
    const key = cachedKey({ accountTag });
    await cache.write(SHA256, key, Date.now());
    await cache.write(OTHER_SHA256, key, Date.now());
    expect((await cache.read(accountTag, SHA256))?.key).toEqual(key);
    await cache.remove(accountTag, [SHA256, OTHER_SHA256]);
    for (const sha256 of [SHA256, OTHER_SHA256]) expect(await cache.read(accountTag, sha256)).toBeUndefined();
  }
}

/** Takes from limits of several accounts, beyond what there is, corrects them, and counts what is open. */
export async function holdsLimits(client: RedisClient, accountTags = newTags()): Promise<void> {
  const [one, other] = [new LimitStore(client, 'one'), new LimitStore(client, 'other')];
  const requests = { bucket: 'key:requests', perMinute: 1, size: 2, amount: 1 };
  const tokens = { bucket: 'account:tokens', perMinute: 60, size: 100, amount: 40 };
  const buckets: BucketTake[] = [requests, tokens];
  const open = (count: number, max = 3) => [
    { scope: 'key', count, max },
    { scope: 'account', count, max: 10 },
  ];
  const left = async (accountTag: string) => (await one.take(accountTag, [{ ...tokens, amount: 0 }], [])).tokens[0];
  for (const accountTag of accountTags) {
    const first = await one.take(accountTag, buckets, open(1));
    expect(first).toEqual({ reached: undefined, tokens: [expect.closeTo(1, 0), expect.closeTo(60, 0)] });
    expect((await other.take(accountTag, buckets, open(1))).reached).toBeUndefined();
    const refused = await one.take(accountTag, buckets, open(2));
    expect(refused.reached?.index).toBe(0);
    expect(refused.reached?.waitMs).toBeGreaterThan(50_000);
    // Nothing was taken from the other bucket.
    expect(await left(accountTag)).toBeCloseTo(20, -1);
    expect((await other.take(accountTag, [tokens], open(3))).reached?.index).toBe(0);
    expect((await other.take(accountTag, [], open(3))).reached?.index).toBe(0);
    await one.correct(
      accountTag,
      [{ ...tokens, amount: -30 }],
      [
        { scope: 'key', count: 0 },
        { scope: 'account', count: 0 },
      ],
    );
    expect(await left(accountTag)).toBeCloseTo(50, -1);
    expect((await other.take(accountTag, [], open(3))).reached).toBeUndefined();
  }
}

/** Unused account tags. Thirty of them reach all of three nodes, except in one of 50,000 runs. */
export function newTags(count = 30): string[] {
  return Array.from({ length: count }, () => randomBytes(6).toString('hex'));
}

import { randomBytes } from 'node:crypto';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cachedKey } from '../../testing/cached-key.ts';
import { createLogger } from '../logging.ts';
import { createRedis, type RedisClient } from '../redis/client.ts';
import { entryName, KeyCache, RECORD_LIFE_MS } from './key-cache.ts';
import type { CachedKey } from './record.ts';

const TEN_MINUTES_MS = 600_000;
const NOW_MS = 1_800_000_000_000;

let redis: RedisClient;
let nowMs: number;
let cache: KeyCache;

beforeAll(async () => {
  const logger = createLogger('test', 'silent');
  redis = createRedis({ url: redisUrl(), connectionName: 'test', commandTimeoutMs: 5_000 }, logger);
  cache = new KeyCache(redis, () => nowMs);
  await vi.waitFor(() => expect(redis.status).toBe('ready'), { timeout: 30_000 });
});
afterAll(() => redis?.disconnect());

function newKey(): { sha256: string; key: CachedKey } {
  const key = cachedKey({ accountTag: randomBytes(3).toString('hex') });
  return { sha256: randomBytes(32).toString('hex'), key };
}

describe('a record', () => {
  it('is read until it is removed, and expires in Redis', async () => {
    nowMs = NOW_MS;
    const { sha256, key } = newKey();
    expect(await cache.read(key.accountTag, sha256)).toBeUndefined();
    await cache.write(sha256, key, nowMs);
    expect(await cache.read(key.accountTag, sha256)).toEqual({ key, leftMs: RECORD_LIFE_MS });
    expect(await redis.pttl(entryName(key.accountTag, sha256))).toBeLessThanOrEqual(RECORD_LIFE_MS);
    expect(await redis.pttl(entryName(key.accountTag, sha256))).toBeGreaterThan(0);
    await cache.remove(key.accountTag, [sha256]);
    expect(await cache.read(key.accountTag, sha256)).toBeUndefined();
    await cache.remove(key.accountTag, []);
  });

  it('counts for a minute from when the database was read, whatever expiry Redis keeps', async () => {
    nowMs = NOW_MS;
    const { sha256, key } = newKey();
    await cache.write(sha256, key, nowMs - 20_000);
    expect(await cache.read(key.accountTag, sha256)).toEqual({ key, leftMs: 40_000 });
    nowMs += 39_999;
    expect(await cache.read(key.accountTag, sha256)).toEqual({ key, leftMs: 1 });
    nowMs += 1;
    expect(await cache.read(key.accountTag, sha256)).toBeUndefined();
  });

  it('of a dump that is restored after ten minutes does not count', async () => {
    nowMs = NOW_MS;
    const { sha256, key } = newKey();
    const name = entryName(key.accountTag, sha256);
    await cache.write(sha256, key, nowMs);
    const dump = await redis.dumpBuffer(name);
    if (dump === null) throw new Error('there is nothing to dump');
    await redis.del(name);
    nowMs += TEN_MINUTES_MS;
    // With no expiry at all.
    await redis.restore(name, 0, dump);
    expect(await cache.read(key.accountTag, sha256)).toBeUndefined();
    nowMs -= TEN_MINUTES_MS;
    expect(await cache.read(key.accountTag, sha256)).toBeDefined();
    await redis.del(name);
  });

  it('from a clock that is far ahead does not count', async () => {
    nowMs = NOW_MS;
    const { sha256, key } = newKey();
    await cache.write(sha256, key, nowMs + 4_000);
    expect(await cache.read(key.accountTag, sha256)).toEqual({ key, leftMs: RECORD_LIFE_MS });
    await cache.write(sha256, key, nowMs + 6_000);
    expect(await cache.read(key.accountTag, sha256)).toBeUndefined();
  });

  it.each(['', 'D', 'unreadable', '{}'])('is not read from %j', async (text) => {
    const { sha256, key } = newKey();
    await redis.set(entryName(key.accountTag, sha256), text, 'PX', 10_000);
    expect(await cache.read(key.accountTag, sha256)).toBeUndefined();
  });
});

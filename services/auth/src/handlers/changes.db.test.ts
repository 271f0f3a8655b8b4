import { newId } from '@tollgate/common/ids';
import { KeyCache, sha256Hex } from '@tollgate/common/keys/index';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { type FreshDatabase, freshDatabase, redisUrl } from '@tollgate/test/support';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuthUnderTest, migrateAuth, silent } from '../testing/auth-under-test.ts';
import { setDiscount } from './set-discount.ts';
import { setSpendingCaps } from './set-spending-caps.ts';

let database: FreshDatabase;
let auth: AuthUnderTest;
let pool: Pool;
let redis: RedisClient;
let cache: KeyCache;

beforeAll(async () => {
  database = await freshDatabase();
  await migrateAuth(database.url);
  auth = await AuthUnderTest.start({ DATABASE_URL: database.url, REDIS_URL: redisUrl() });
  pool = createPool({ url: database.url, size: 3, applicationName: 'test' }, silent);
  redis = createRedis({ url: redisUrl(), connectionName: 'test', commandTimeoutMs: 5_000 }, silent);
  cache = new KeyCache(redis);
  await vi.waitFor(() => expect(redis.status).toBe('ready'));
});
afterAll(async () => {
  redis?.disconnect();
  await pool?.end();
  await auth?.stop();
  await database?.drop();
});

async function setUp() {
  const account = await auth.createAccount();
  const { key, secret } = await auth.createKey(account.accountId, { caps: { dayNanos: 5n, totalNanos: 0n } });
  const hash = sha256Hex(secret);
  const resolve = () => auth.resolve(Buffer.from(hash, 'hex'), account.tag);
  const cached = async () => (await cache.read(account.tag, hash)).state;
  return { account, key, hash, resolve, cached };
}

/** A key of the cache that was not reachable. */
function withoutRedis() {
  const unreachable = createRedis({ url: 'redis://127.0.0.1:1', connectionName: 'test', commandTimeoutMs: 50 }, silent);
  const warned: string[] = [];
  const logger = silent.child({}, { level: 'silent' });
  logger.warn = (_fields: unknown, message?: string) => {
    warned.push(message ?? '');
  };
  return { deps: { pool, cache: new KeyCache(unreachable), logger }, warned, end: () => unreachable.disconnect() };
}

describe('spending caps of a key', () => {
  it('are told with the key from its creation on', async () => {
    const { account, key, resolve, cached } = await setUp();
    const caps = { dayNanos: 5n, monthNanos: undefined, totalNanos: 0n };
    expect(key.caps).toEqual(caps);
    expect(await resolve()).toMatchObject({ value: { caps, revision: 1n } });
    expect(await cached()).toMatchObject({ key: { caps, revision: 1n, accountId: account.accountId } });
  });

  it('are replaced as a whole, and the cached record is gone when the call returns', async () => {
    const { key, resolve, cached } = await setUp();
    await resolve();
    const caps = { dayNanos: undefined, monthNanos: 7n, totalNanos: undefined };
    expect((await auth.setCaps(key.keyId, caps)).caps).toEqual(caps);
    expect(await cached()).toEqual({ kind: 'missing' });
    expect(await resolve()).toMatchObject({ value: { caps, revision: 2n } });
    expect((await auth.setCaps(key.keyId, undefined)).caps).toBeUndefined();
    expect(await resolve()).toMatchObject({ value: { caps: undefined, revision: 3n } });
  });

  it('end the fills that began before the change', async () => {
    const { account, key, hash, resolve, cached } = await setUp();
    await resolve();
    const state = await cached();
    if (state.kind !== 'live') throw new Error('the record was not cached');
    const fill = await cache.beginFill(account.tag);
    await auth.setCaps(key.keyId, { dayNanos: 1n });
    expect(await cache.endFill(fill, hash, state.key)).toBe(false);
    expect(await cached()).toEqual({ kind: 'missing' });
  });

  it('are refused below 0, and for keys that are unknown, of another account, or deleted', async () => {
    const { account, key } = await setUp();
    const other = await auth.createAccount();
    await expect(auth.setCaps(key.keyId, { monthNanos: -1n })).rejects.toMatchObject({ code: 3 });
    await expect(auth.createKey(account.accountId, { caps: { dayNanos: -1n } })).rejects.toMatchObject({ code: 3 });
    await expect(auth.setCaps(newId(), {})).rejects.toMatchObject({ code: 5 });
    await expect(auth.setCaps(key.keyId, {}, other.accountId)).rejects.toMatchObject({ code: 5 });
    await auth.deleteKey(key.keyId);
    await expect(auth.setCaps(key.keyId, {}, account.accountId)).rejects.toMatchObject({ code: 9 });
  });

  it('are set without Redis too, with a warning', async () => {
    const { key, resolve } = await setUp();
    const { deps, warned, end } = withoutRedis();
    const answer = await setSpendingCaps(deps, { keyId: key.keyId, accountId: '', caps: { dayNanos: 9n } });
    expect(answer.key?.caps).toMatchObject({ dayNanos: 9n });
    expect(warned).toHaveLength(1);
    expect(await resolve()).toMatchObject({ value: { revision: 2n } });
    end();
  });
});

describe('the discount of an account', () => {
  it('is told with all its keys once the call has returned, and leaves their revisions alone', async () => {
    const { account, resolve, cached } = await setUp();
    const second = await auth.createKey(account.accountId);
    const hash = sha256Hex(second.secret);
    const gone = await auth.createKey(account.accountId);
    await resolve();
    await auth.resolve(Buffer.from(hash, 'hex'), account.tag);
    await auth.deleteKey(gone.key.keyId);
    expect((await auth.setDiscount(account.accountId, 150_000)).discountPpm).toBe(150_000);
    expect(await cached()).toEqual({ kind: 'missing' });
    expect((await cache.read(account.tag, hash)).state).toEqual({ kind: 'missing' });
    expect((await cache.read(account.tag, sha256Hex(gone.secret))).state).toEqual({ kind: 'dead' });
    expect(await resolve()).toMatchObject({ value: { discountPpm: 150_000, revision: 1n } });
  });

  it('is refused beyond the whole price, below nothing, and for an unknown account', async () => {
    const { account } = await setUp();
    await expect(auth.setDiscount(account.accountId, 1_000_001)).rejects.toMatchObject({ code: 3 });
    await expect(auth.setDiscount(account.accountId, -1)).rejects.toMatchObject({ code: 3 });
    await expect(auth.setDiscount(newId(), 1)).rejects.toMatchObject({ code: 5 });
    expect((await auth.setDiscount(account.accountId, 1_000_000)).discountPpm).toBe(1_000_000);
  });

  it('is set without Redis too, with one warning however many keys there are', async () => {
    const { account } = await setUp();
    for (let count = 0; count < 3; count += 1) await auth.createKey(account.accountId);
    const { deps, warned, end } = withoutRedis();
    expect((await setDiscount(deps, { accountId: account.accountId, discountPpm: 5 })).account?.discountPpm).toBe(5);
    expect(warned).toHaveLength(1);
    end();
  });
});

import { AuthUnderTest } from '@tollgate/auth/testing/auth-under-test';
import { sha256Hex } from '@tollgate/common/keys/index';
import type { Account } from '@tollgate/proto/auth';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { type OwnRedis, startRedis } from '@tollgate/test-support/stores/own-redis';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authenticateText, type Ingress, openIngress, REDIS_TIMEOUT_MS } from '../../../testing/open-ingress.ts';

let database: FreshDatabase;
let ownRedis: OwnRedis;
let auth: AuthUnderTest;
let account: Account;
let operator: Redis;
const opened: Ingress[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  ownRedis = await startRedis();
  const settings = { REDIS_TIMEOUT_MS: '500' };
  auth = await AuthUnderTest.start({ DATABASE_URL: database.url, REDIS_URL: ownRedis.url, ...settings });
});
beforeEach(async () => {
  await ownRedis.start();
  operator = new Redis(ownRedis.url);
  operator.on('error', () => undefined);
  account = await auth.createAccount();
  await expect.poll(isFilled, { interval: 50 }).toBe(1);
});
afterEach(async () => {
  for (const ingress of opened.splice(0)) await ingress.close();
  operator.disconnect();
});
afterAll(async () => {
  await auth?.stop();
  await ownRedis?.stop();
  await database?.drop();
});

async function open(): Promise<Ingress> {
  const ingress = await openIngress({
    redisUrl: ownRedis.url,
    watchAddress: auth.address,
    resolveAddress: auth.address,
  });
  opened.push(ingress);
  return ingress;
}

const deleted = expect.objectContaining({ kind: 'refused', reason: 'deleted' });
const isCached = (secret: string) => operator.exists(`tollgate:{${account.tag}}:key:${sha256Hex(secret)}`);

/** Whether auth fills the cache: it reconnects after Redis was down. */
async function isFilled(): Promise<number> {
  const { secret } = await auth.createKey(account.accountId);
  await auth.resolve(Buffer.from(sha256Hex(secret), 'hex'), account.tag);
  return isCached(secret);
}

/** How long something takes. */
async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}

describe('a Redis', () => {
  it('that is slow delays one lookup, and no warm key', async () => {
    const { authenticator } = await open();
    const [warm, cold, other] = await Promise.all([1, 2, 3].map(() => auth.createKey(account.accountId)));
    if (warm === undefined || cold === undefined || other === undefined) throw new Error('three keys were made');
    await authenticateText(authenticator, warm.secret);
    await operator.client('PAUSE', 30_000, 'ALL');
    const known = await timed(() => authenticateText(authenticator, warm.secret));
    expect(known.result.kind).toBe('active');
    expect(known.ms).toBeLessThan(REDIS_TIMEOUT_MS - 50);
    const first = await timed(() => authenticateText(authenticator, cold.secret));
    expect(first.result.kind).toBe('active');
    expect(first.ms).toBeGreaterThanOrEqual(REDIS_TIMEOUT_MS - 50);
    await auth.deleteKey(warm.key.keyId);
    expect(await authenticateText(authenticator, warm.secret)).toEqual(deleted);
    expect((await authenticateText(authenticator, other.secret)).kind).toBe('active');
    await ownRedis.kill();
  });

  it('that is out of memory stores no new record, while good keys and deletions work', async () => {
    const ingress = await open();
    const known = await auth.createKey(account.accountId);
    await authenticateText(ingress.authenticator, known.secret);
    await operator.config('SET', 'maxmemory-policy', 'noeviction');
    await operator.config('SET', 'maxmemory', '1');
    try {
      const { key, secret } = await auth.createKey(account.accountId);
      expect((await authenticateText(ingress.authenticator, secret)).kind).toBe('active');
      expect(await isCached(secret)).toBe(0);
      await auth.deleteKey(key.keyId);
      await auth.deleteKey(known.key.keyId);
      const fresh = await open();
      for (const { authenticator } of [ingress, fresh]) {
        expect(await authenticateText(authenticator, secret)).toEqual(deleted);
        expect(await authenticateText(authenticator, known.secret)).toEqual(deleted);
      }
    } finally {
      await operator.config('SET', 'maxmemory', '0');
    }
  });

  it('that restarts empty is filled again', async () => {
    const { authenticator } = await open();
    const { secret } = await auth.createKey(account.accountId);
    await authenticateText(authenticator, secret);
    await operator.flushall();
    const fresh = await open();
    expect((await authenticateText(fresh.authenticator, secret)).kind).toBe('active');
    expect(await isCached(secret)).toBe(1);
    await ownRedis.kill();
    const { secret: second } = await auth.createKey(account.accountId);
    expect((await authenticateText(fresh.authenticator, second)).kind).toBe('active');
    await ownRedis.start();
    await expect.poll(isFilled, { interval: 50 }).toBe(1);
    const third = await auth.createKey(account.accountId);
    expect((await authenticateText(fresh.authenticator, third.secret)).kind).toBe('active');
    expect(await isCached(third.secret)).toBe(1);
  });
});

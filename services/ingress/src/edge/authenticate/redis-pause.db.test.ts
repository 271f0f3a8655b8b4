import { AuthUnderTest } from '@tollgate/auth/testing/auth-under-test';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { type OwnRedis, startRedis } from '@tollgate/test-support/stores/own-redis';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authenticateText, openIngress, REDIS_TIMEOUT_MS } from '../../../testing/open-ingress.ts';

/** How long an ingress leaves a slow Redis alone. */
const PAUSE_MS = 200;

let database: FreshDatabase;
let ownRedis: OwnRedis;
let auth: AuthUnderTest;

beforeAll(async () => {
  database = await migratedDatabase();
  ownRedis = await startRedis();
  auth = await AuthUnderTest.start({ DATABASE_URL: database.url, REDIS_URL: redisUrl() });
});
afterAll(async () => {
  await auth?.stop();
  await ownRedis?.stop();
  await database?.drop();
});

it('a Redis that has delayed a lookup is left alone for a while, and then used again', async () => {
  let nowMs = 0;
  const addresses = { redisUrl: ownRedis.url, watchAddress: auth.address, resolveAddress: auth.address };
  const { authenticator, close } = await openIngress(addresses, { now: () => nowMs });
  const operator = new Redis(ownRedis.url);
  const { accountId } = await auth.createAccount();
  /** How long the first lookup of a key takes. */
  const look = async () => {
    const { secret } = await auth.createKey(accountId);
    const beganAt = performance.now();
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    return performance.now() - beganAt;
  };
  try {
    expect(await look()).toBeLessThan(REDIS_TIMEOUT_MS - 50);
    await operator.client('PAUSE', 60_000, 'ALL');
    expect(await look()).toBeGreaterThanOrEqual(REDIS_TIMEOUT_MS - 50);
    nowMs += PAUSE_MS - 1;
    for (let time = 0; time < 3; time++) expect(await look()).toBeLessThan(REDIS_TIMEOUT_MS - 50);
    nowMs += 1;
    expect(await look()).toBeGreaterThanOrEqual(REDIS_TIMEOUT_MS - 50);
  } finally {
    operator.disconnect();
    await close();
    await ownRedis.kill();
  }
});

import { setTimeout as delay } from 'node:timers/promises';
import { newAccountTag, newKey } from '@tollgate/common/keys/index';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { type OwnRedis, startRedis } from '@tollgate/test-support/stores/own-redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';

const BURST = 4;
const REFUSED = { status: 401, type: 'invalid_api_key' };
const SLOWED = { status: 429, type: 'rate_limit_exceeded', message: /invalid API keys came from your address/ };
/** Less than the ingress's timeout for Redis. */
const PAUSE_MS = 300;
let redis: OwnRedis;
let operator: Redis;
let gateway: Gateway;

beforeAll(async () => {
  redis = await startRedis();
  operator = new Redis(redis.url);
  const env = { UNKNOWN_KEYS_BURST: String(BURST), TRUSTED_PROXIES: '127.0.0.0/8' };
  gateway = await startGateway({ redis: redis.url, env });
});
afterAll(async () => {
  await gateway?.stop();
  operator?.disconnect();
  await redis?.stop();
});

/** Sends a request through a trusted proxy. */
function ask(key: string, from: string, path = '/v1/models'): Promise<WireResponse> {
  return gateway.send({ path, headers: { 'x-api-key': key, 'x-forwarded-for': from } });
}

function madeUp(tag = newAccountTag()): string {
  return newKey('tollgate', tag).text;
}

function retryAfterOf({ headers }: WireResponse): number {
  return Number(headers['retry-after'] ?? 0);
}

/**
 * Sends so many unknown keys at once that the address has no lookups left for some seconds. Pauses Redis until all are
 * waiting.
 */
async function useUpLookups(from: string, make: () => string = madeUp): Promise<void> {
  await operator.client('PAUSE', PAUSE_MS, 'ALL');
  const responses = await Promise.all(Array.from({ length: 5 * BURST }, () => ask(make(), from)));
  for (const { status } of responses) expect([401, 429]).toContain(status);
  const wait = retryAfterOf(await ask(make(), from));
  expect(wait).toBeGreaterThanOrEqual(BURST - 2);
  expect(wait).toBeLessThanOrEqual(BURST + 1);
}

describe('unknown keys from one address', () => {
  it('get 429 beyond the limit, unlike those of other addresses', async () => {
    const from = '198.51.100.1';
    await useUpLookups(from);
    const slowed = await ask(madeUp(), from);
    expectModelError(slowed, SLOWED);
    expect(retryAfterOf(slowed)).toBeGreaterThan(0);
    expect(retryAfterOf(slowed)).toBeLessThanOrEqual(BURST + 1);
    for (const other of ['198.51.100.2', '2001:db8::1']) expectModelError(await ask(madeUp(), other), REFUSED);
  });

  it('do not affect valid keys of that address that are cached or of a known account', async () => {
    const from = '198.51.100.3';
    const known = await gateway.accounts.create(0n);
    const { key: fresh } = await gateway.accounts.createKey(known.accountId);
    expect((await ask(known.key, from)).status).toBe(200);
    await useUpLookups(from);
    expect((await ask(fresh, from)).status).toBe(200);
    for (let time = 0; time < 30; time++) expect((await ask(known.key, from)).status).toBe(200);
  });

  it('delay a new key of an unknown account only at that address', async () => {
    const [from, ofSameNetwork] = ['2001:db8:1:1::1', '2001:db8:1:1:ffff::1'];
    const [one, other] = await Promise.all([gateway.accounts.create(0n), gateway.accounts.create(0n)]);
    await useUpLookups(from);
    expectModelError(await ask(one.key, from), SLOWED);
    expectModelError(await ask(one.key, ofSameNetwork), SLOWED);
    // The client itself may have sent the addresses before the last one.
    expectModelError(await ask(one.key, `198.51.100.5, ${from}`), SLOWED);
    expect((await ask(one.key, '2001:db8:1:2::1')).status).toBe(200);
    // The process has cached the key.
    expect((await ask(one.key, from)).status).toBe(200);
    const refused = await ask(other.key, from);
    expectModelError(refused, SLOWED);
    await delay(retryAfterOf(refused) * 1_000);
    expect((await ask(other.key, from)).status).toBe(200);
  });

  it('of a known account delay its other new keys only at that address', async () => {
    const from = '198.51.100.7';
    const [known, unharmed] = await Promise.all([gateway.accounts.create(0n), gateway.accounts.create(0n)]);
    const { key: fresh } = await gateway.accounts.createKey(known.accountId);
    const { key: ofUnharmed } = await gateway.accounts.createKey(unharmed.accountId);
    for (const { key } of [known, unharmed]) expect((await ask(key, '198.51.100.8')).status).toBe(200);
    const tag = known.key.slice('sk-tollgate-'.length, 'sk-tollgate-'.length + newAccountTag().length);
    await useUpLookups(from);
    await useUpLookups(from, () => madeUp(tag));
    expectModelError(await ask(fresh, from), SLOWED);
    expect((await ask(ofUnharmed, from)).status).toBe(200);
    expect((await ask(fresh, '198.51.100.8')).status).toBe(200);
    expect((await ask(known.key, from)).status).toBe(200);
  });
});

describe('keys that need no lookup', () => {
  it('are rejected at once, and never delay the lookup of a new valid key', async () => {
    const from = '198.51.100.9';
    const unknown = madeUp();
    const keys = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? `sk-tollgate-${index}` : unknown));
    // A rejection is cached: the same unknown key is looked up once.
    expectModelError(await ask(unknown, from), REFUSED);
    for (const response of await Promise.all(keys.map((key) => ask(key, from)))) expectModelError(response, REFUSED);
    const fresh = await gateway.accounts.create(0n);
    expect((await ask(fresh.key, from)).status).toBe(200);
  });
});

describe('the log of failed authentications', () => {
  it('has each address with its count, and no key', async () => {
    const from = '198.51.100.10';
    const key = madeUp();
    await ask(key, from);
    await ask('sk-tollgate-mistyped', from, '/v1/billing/balance');
    await gateway.send({ path: '/v1/models', headers: { 'x-forwarded-for': from } });
    await gateway.stack.restart('ingress');
    const lines = gateway.stack.logs.read('ingress');
    const logged = lines.filter((line) => line.includes('"failed authentications"') && line.includes(`"${from}"`));
    expect(logged.map((line): unknown => JSON.parse(line))).toMatchObject([
      { client_address: from, count: 3, reasons: { unknown: 1, malformed: 1, missing: 1 } },
    ]);
    const all = [...lines, ...gateway.stack.logs.read('auth')];
    const secret = key.slice('sk-tollgate-'.length);
    expect(all.filter((each) => each.includes(secret) || each.includes('mistyped'))).toEqual([]);
  });
});

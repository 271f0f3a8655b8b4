import { setTimeout as delay } from 'node:timers/promises';
import { newAccountTag, newKey } from '@tollgate/common/keys/index';
import { type OwnRedis, startRedis } from '@tollgate/test/support';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import type { WireAnswer } from './support/http.ts';

const BURST = 4;
/** Refusals of one address that are held back at the same time, and how long each is. */
const HELD = 32;
const HELD_MS = 1_000;
/** A refusal of a request that is longer than this is not held back. */
const HEAVY_BYTES = 17_000;
const REFUSED = { status: 401, type: 'invalid_api_key' };
const SLOWED = { status: 429, type: 'rate_limit_exceeded', message: /keys that are not valid came from your address/ };
/** Less than an ingress waits for Redis. */
const PAUSE_MS = 300;
let redis: OwnRedis;
let operator: Redis;
let gateway: Gateway;

beforeAll(async () => {
  redis = await startRedis();
  operator = new Redis(redis.url);
  const env = { FAILED_ATTEMPTS_BURST: String(BURST), TRUSTED_PROXIES: '127.0.0.0/8' };
  gateway = await startGateway({ redis: redis.url, env });
});
afterAll(async () => {
  await gateway?.stop();
  operator?.disconnect();
  await redis?.stop();
});

/** A request that a trusted proxy passes on. */
function ask(key: string, from: string, path = '/v1/models'): Promise<WireAnswer> {
  return gateway.send({ path, headers: { 'x-api-key': key, 'x-forwarded-for': from } });
}

function askHeavily(key: string, from: string): Promise<WireAnswer> {
  const headers = { 'x-api-key': key, 'x-forwarded-for': from, 'content-type': 'application/json' };
  return gateway.send({ method: 'POST', path: '/v1/chat/completions', headers, body: ' '.repeat(HEAVY_BYTES) });
}

function madeUp(tag = newAccountTag()): string {
  return newKey('tollgate', tag).text;
}

function retryAfterOf({ headers }: WireAnswer): number {
  return Number(headers['retry-after'] ?? 0);
}

/**
 * Presents so many made-up keys at once that all looks of the address are used up, and as many more are owed: it may look
 * up none for some seconds. Redis keeps them waiting until they have all been let in.
 */
async function useUpLooks(from: string, make: () => string = madeUp): Promise<void> {
  await operator.client('PAUSE', PAUSE_MS, 'ALL');
  const answers = await Promise.all(Array.from({ length: 5 * BURST }, () => askHeavily(make(), from)));
  for (const { status } of answers) expect([401, 429]).toContain(status);
  const wait = retryAfterOf(await ask(make(), from));
  expect(wait).toBeGreaterThanOrEqual(BURST - 2);
  expect(wait).toBeLessThanOrEqual(BURST + 1);
}

describe('made-up keys from one address', () => {
  it('are told to slow down after a while, and those of other addresses are not', async () => {
    const from = '198.51.100.1';
    await useUpLooks(from);
    const slowed = await ask(madeUp(), from);
    expectModelError(slowed, SLOWED);
    expect(retryAfterOf(slowed)).toBeGreaterThan(0);
    expect(retryAfterOf(slowed)).toBeLessThanOrEqual(BURST + 1);
    for (const other of ['198.51.100.2', '2001:db8::1']) expectModelError(await ask(madeUp(), other), REFUSED);
  });

  it('leave good keys of that address alone, known ones and new ones of known accounts', async () => {
    const from = '198.51.100.3';
    const known = await gateway.accounts.create(0n);
    const { key: fresh } = await gateway.accounts.createKey(known.accountId);
    expect((await ask(known.key, from)).status).toBe(200);
    await useUpLooks(from);
    expect((await ask(fresh, from)).status).toBe(200);
    for (let time = 0; time < 30; time++) expect((await ask(known.key, from)).status).toBe(200);
  });

  it('have a key that nobody here knows wait its turn there, and nowhere else', async () => {
    const [from, ofSameNetwork] = ['2001:db8:1:1::1', '2001:db8:1:1:ffff::1'];
    const [one, other] = await Promise.all([gateway.accounts.create(0n), gateway.accounts.create(0n)]);
    await useUpLooks(from);
    expectModelError(await ask(one.key, from), SLOWED);
    expectModelError(await ask(one.key, ofSameNetwork), SLOWED);
    // What stands before the last address the client may have written itself.
    expectModelError(await ask(one.key, `198.51.100.5, ${from}`), SLOWED);
    expect((await ask(one.key, '2001:db8:1:2::1')).status).toBe(200);
    // The process knows it by now.
    expect((await ask(one.key, from)).status).toBe(200);
    const refused = await ask(other.key, from);
    expectModelError(refused, SLOWED);
    await delay(retryAfterOf(refused) * 1_000);
    expect((await ask(other.key, from)).status).toBe(200);
  });

  it('that name a known account have its other keys wait from that address alone', async () => {
    const from = '198.51.100.7';
    const [known, unharmed] = await Promise.all([gateway.accounts.create(0n), gateway.accounts.create(0n)]);
    const { key: fresh } = await gateway.accounts.createKey(known.accountId);
    const { key: ofUnharmed } = await gateway.accounts.createKey(unharmed.accountId);
    for (const { key } of [known, unharmed]) expect((await ask(key, '198.51.100.8')).status).toBe(200);
    const tag = known.key.slice('sk-tollgate-'.length, 'sk-tollgate-'.length + newAccountTag().length);
    await useUpLooks(from);
    await useUpLooks(from, () => madeUp(tag));
    expectModelError(await ask(fresh, from), SLOWED);
    expect((await ask(ofUnharmed, from)).status).toBe(200);
    expect((await ask(fresh, '198.51.100.8')).status).toBe(200);
    expect((await ask(known.key, from)).status).toBe(200);
  });
});

describe('malformed keys from one address', () => {
  it('are held back, and never keep a new good key from being looked up', async () => {
    const from = '198.51.100.9';
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const sentAt = performance.now();
        const { status } = await ask(`sk-tollgate-${index}`, from);
        return { status, ms: performance.now() - sentAt };
      }),
    );
    const granted = (performance.now() - startedAt) / 1_000;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const refused = answers.filter(({ status }) => status === 401);
    const atOnce = refused.filter(({ ms }) => ms < 0.95 * HELD_MS).length;
    expect(atOnce).toBeLessThanOrEqual(BURST + granted);
    expect(refused.length - atOnce).toBeGreaterThanOrEqual(HELD);
    const stranger = await gateway.accounts.create(0n);
    expect((await ask(stranger.key, from)).status).toBe(200);
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
    const told = lines.filter((line) => line.includes('"failed authentications"') && line.includes(`"${from}"`));
    expect(told.map((line): unknown => JSON.parse(line))).toMatchObject([
      { client_address: from, count: 3, reasons: { unknown: 1, malformed: 1, missing: 1 } },
    ]);
    const all = [...lines, ...gateway.stack.logs.read('auth')];
    const secret = key.slice('sk-tollgate-'.length);
    expect(all.filter((each) => each.includes(secret) || each.includes('mistyped'))).toEqual([]);
  });
});

import { createLogger } from '@tollgate/common/logging';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { type OwnRedis, startRedis } from '@tollgate/test-support/stores/own-redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { admitRequest, limiterOn, newKey } from '../../../testing/limiters.ts';
import type { Limiter } from './limiter.ts';

const LOGGER = createLogger('test', 'silent');
const BACK = { timeout: 30_000, interval: 50 };
let server: OwnRedis;
let watcher: RedisClient;
const clients: RedisClient[] = [];
const limiters: Limiter[] = [];

beforeAll(async () => {
  server = await startRedis();
  watcher = await open();
});
afterEach(() => {
  for (const limiter of limiters.splice(0)) limiter.stop();
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await server.stop();
});

async function open(): Promise<RedisClient> {
  const client = createRedis({ url: server.url, connectionName: 'test', commandTimeoutMs: 5_000 }, LOGGER);
  clients.push(client);
  await new Promise<void>((resolve) => client.once('ready', () => resolve()));
  return client;
}

/** One ingress's limiter on a connection of its own. */
async function newLimiter(): Promise<Limiter> {
  const limiter = limiterOn(await open());
  limiter.start();
  limiters.push(limiter);
  return limiter;
}

/** Commands that Redis has processed so far. */
async function commands(): Promise<number> {
  const info = await watcher.info('stats');
  return Number(/total_commands_processed:(\d+)/.exec(info)?.[1]);
}

/** Whether what it takes reaches Redis. */
async function isShared(limiter: Limiter): Promise<boolean> {
  const { key, limits } = newKey({ requestsPerMinute: 60 });
  await limiter.take(admitRequest(limiter), key, limits, 0);
  const entry = `tollgate:{${key.accountTag}}:bucket:key:${key.keyId}:requests`;
  return (await watcher.exists(entry).catch(() => 0)) === 1;
}

describe('limits of several ingresses', () => {
  it('cost nothing for a request that has none', async () => {
    const limiter = await newLimiter();
    const { key, limits } = newKey({});
    const before = await commands();
    for (let count = 0; count < 100; count++) {
      const admission = admitRequest(limiter);
      expect((await limiter.take(admission, key, limits, 1_000)).kind).toBe('passed');
      expect(admission.recordUsage(500)).toBeUndefined();
      admission.release();
    }
    expect((await commands()) - before).toBeLessThan(10);
  });

  it('are shared, and a flood beyond them is mostly refused without a call of Redis', async () => {
    const all = await Promise.all([newLimiter(), newLimiter(), newLimiter()]);
    const { key, limits } = newKey({ requestsPerMinute: 60 });
    const startedAt = performance.now();
    const before = await commands();
    let passed = 0;
    for (let round = 0; round < 300; round++) {
      for (const limiter of all) {
        const verdict = await limiter.take(admitRequest(limiter), key, limits, 0);
        if (verdict.kind === 'passed') passed += 1;
        else expect(verdict.limit).toMatchObject({ kind: 'requests', owner: 'key', perMinute: 60 });
      }
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(passed).toBeLessThanOrEqual(10 + seconds);
    // A script counts as several commands, including those it runs.
    expect((await commands()) - before).toBeLessThan(300);
  });

  it('report what is left, and with a refusal a sufficient wait', async () => {
    const limiter = await newLimiter();
    const { key, limits } = newKey({ requestsPerMinute: 600, tokensPerMinute: 6_000 }, { requestsPerMinute: 60 });
    const first = await limiter.take(admitRequest(limiter), key, limits, 400);
    expect(first.states.map(({ limit, tokens }) => [limit.owner, limit.kind, Math.round(tokens)])).toEqual([
      ['account', 'requests', 9],
      ['key', 'requests', 99],
      ['key', 'tokens', 900],
    ]);
    const big = await limiter.take(admitRequest(limiter), key, limits, 4_000_000);
    if (big.kind !== 'refused') throw new Error('tokens were not counted');
    // A full bucket is requested and some 100 are missing: one second at 100 a second.
    expect(big.limit).toMatchObject({ kind: 'tokens', owner: 'key' });
    expect(big.waitMs).toBeLessThanOrEqual(1_001);
    await new Promise((resolve) => setTimeout(resolve, big.waitMs));
    expect((await limiter.take(admitRequest(limiter), key, limits, 4_000_000)).kind).toBe('passed');
  });

  it('are corrected by the usage, at every ingress', async () => {
    const [one, other] = await Promise.all([newLimiter(), newLimiter()]);
    const { key, limits } = newKey({ tokensPerMinute: 600 });
    const admission = admitRequest(one);
    const takenAt = performance.now();
    await one.take(admission, key, limits, 40);
    await admission.recordUsage(330);
    const left = async () => (await other.take(admitRequest(other), key, limits, 0)).states[0]?.tokens ?? 0;
    const tokens = await left();
    expect(tokens).toBeLessThan(0);
    expect(tokens).toBeLessThanOrEqual(-230 + (performance.now() - takenAt) / 100 + 0.1);
    const refused = await other.take(admitRequest(other), key, limits, 4);
    if (refused.kind !== 'refused') throw new Error('the bucket was not corrected');
    expect(refused.waitMs).toBeGreaterThan(20_000);
    const { key: second, limits: limitsOfSecond } = newKey({ tokensPerMinute: 600 });
    const unused = admitRequest(one);
    await one.take(unused, second, limitsOfSecond, 400);
    unused.release();
    await expect
      .poll(async () => (await one.take(admitRequest(one), second, limitsOfSecond, 0)).states[0]?.tokens, BACK)
      .toBe(100);
  });

  it('count the open requests of all of them, until they end', async () => {
    const [one, other] = await Promise.all([newLimiter(), newLimiter()]);
    const { key, limits } = newKey({ openRequests: 3 });
    const begin = async (limiter: Limiter) => {
      const admission = admitRequest(limiter);
      const { kind } = await limiter.take(admission, key, limits, 0);
      return { admission, kind };
    };
    const open = [await begin(one), await begin(one), await begin(other)];
    expect(open.map(({ kind }) => kind)).toEqual(['passed', 'passed', 'passed']);
    for (const limiter of [one, other]) {
      const refused = await begin(limiter);
      expect(refused.kind).toBe('refused');
      refused.admission.release();
    }
    open[0]?.admission.release();
    await expect.poll(async () => (await begin(other)).kind, BACK).toBe('passed');
    expect((await begin(one)).kind).toBe('refused');
  });

  it('count concurrent requests together', async () => {
    const all = await Promise.all([newLimiter(), newLimiter(), newLimiter()]);
    const { key, limits } = newKey({ openRequests: 20, requestsPerMinute: 600 });
    const verdicts = await Promise.all(
      Array.from({ length: 120 }, async (_, index) => {
        const limiter = all[index % all.length];
        if (limiter === undefined) throw new Error('there are three');
        return limiter.take(admitRequest(limiter), key, limits, 0);
      }),
    );
    const passed = verdicts.filter(({ kind }) => kind === 'passed').length;
    expect(passed).toBe(20);
  });
});

describe('limits while Redis is down', () => {
  it('apply to each ingress alone without waiting for Redis each time, and are shared when it is back', async () => {
    const [one, other] = await Promise.all([newLimiter(), newLimiter()]);
    const { key, limits } = newKey({ requestsPerMinute: 60, openRequests: 15 });
    await one.take(admitRequest(one), key, limits, 0);
    await server.kill();
    const flood = async (limiter: Limiter) => {
      const verdicts: string[] = [];
      const waits: number[] = [];
      for (let count = 0; count < 50; count++) {
        const startedAt = performance.now();
        verdicts.push((await limiter.take(admitRequest(limiter), key, limits, 0)).kind);
        waits.push(performance.now() - startedAt);
      }
      return {
        passed: verdicts.filter((kind) => kind === 'passed').length,
        slow: waits.filter((ms) => ms > 250).length,
      };
    };
    const startedAt = performance.now();
    for (const limiter of [one, other]) {
      const { passed, slow } = await flood(limiter);
      expect(passed).toBeGreaterThanOrEqual(8);
      expect(passed).toBeLessThanOrEqual(10 + (performance.now() - startedAt) / 1_000);
      expect(slow).toBeLessThanOrEqual(1);
    }
    const crowdedAt = performance.now();
    const crowd = newKey({ requestsPerMinute: 600, openRequests: 2 });
    const verdicts = [];
    for (let count = 0; count < 3; count++)
      verdicts.push(await one.take(admitRequest(one), crowd.key, crowd.limits, 0));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['passed', 'passed', 'refused']);
    // The request refused by the limit of open ones took nothing.
    const next = await one.take(admitRequest(one), crowd.key, { ...crowd.limits, open: [] }, 0);
    const leftOfCrowd = next.states[0]?.tokens;
    expect(leftOfCrowd).toBeGreaterThanOrEqual(97);
    expect(leftOfCrowd).toBeLessThanOrEqual(97 + (performance.now() - crowdedAt) / 100);
    await server.start();
    for (const limiter of [one, other]) await expect.poll(() => isShared(limiter), BACK).toBe(true);
    const together = newKey({ requestsPerMinute: 60 });
    const passed: string[] = [];
    for (let count = 0; count < 20; count++) {
      for (const limiter of [one, other])
        passed.push((await limiter.take(admitRequest(limiter), together.key, together.limits, 0)).kind);
    }
    expect(passed.filter((kind) => kind === 'passed').length).toBeLessThanOrEqual(12);
  });

  it('publishes open requests again when Redis has lost them', async () => {
    const [one, other] = await Promise.all([newLimiter(), newLimiter()]);
    const { key, limits } = newKey({ openRequests: 1 });
    expect((await one.take(admitRequest(one), key, limits, 0)).kind).toBe('passed');
    await watcher.flushall();
    await expect
      .poll(() => watcher.get(`tollgate:{${key.accountTag}}:open:key:${key.keyId}`), { interval: 100 })
      .toMatch(/=1@\d+;$/);
    expect((await other.take(admitRequest(other), key, limits, 0)).kind).toBe('refused');
  });
});

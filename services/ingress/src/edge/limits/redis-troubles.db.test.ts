import { createLogger } from '@tollgate/common/logging';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { findFreePort } from '@tollgate/local';
import { type RedisServerProcess, startRedisServerWith } from '@tollgate/test-support/stores/redis-server';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admitRequest, type LimitedKey, limiterOn, newKey } from '../../../testing/limiters.ts';
import type { Limiter } from './limiter.ts';

const SOON = { timeout: 30_000, interval: 20 };
/** Longer than usual, so that a busy machine is not mistaken for a slow Redis. */
const TIMEOUT_MS = 2_000;
/** A wait that is none for Redis. */
const PROMPT_MS = 1_000;
const PER_MINUTE = 600;
const BURST = 100;

let port: number;
let folder: string;
let server: RedisServerProcess;
let operator: RedisClient;
let one: Limiter;
let other: Limiter;
const stops: (() => unknown)[] = [];

beforeEach(async () => {
  const temporary = makeTemporaryFolder();
  folder = temporary.path;
  stops.push(temporary.remove);
  port = await findFreePort();
  await start();
  stops.push(() => server.kill());
  operator = await open();
  [one, other] = [limiterOn(await open()), limiterOn(await open())];
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Starts Redis with what was saved last. */
async function start(): Promise<void> {
  server = await startRedisServerWith({ port, folder, args: ['--maxmemory-policy', 'noeviction'] });
}

async function open(): Promise<RedisClient> {
  const url = `redis://127.0.0.1:${port}`;
  const client = createRedis(
    { url, connectionName: 'test', commandTimeoutMs: TIMEOUT_MS },
    createLogger('test', 'silent'),
  );
  stops.push(() => client.disconnect());
  await expect.poll(() => client.status, SOON).toBe('ready');
  return client;
}

interface Outcome {
  passed: number;
  /** Of each take, in their order. */
  waitsMs: number[];
}

/** Takes one after the other, at all limiters by turns. */
async function take(count: number, limiters: readonly Limiter[], { key, limits }: LimitedKey): Promise<Outcome> {
  const waitsMs: number[] = [];
  let passed = 0;
  for (let taken = 0; taken < count; taken++) {
    for (const limiter of limiters) {
      const beganAt = performance.now();
      const { kind } = await limiter.take(admitRequest(limiter), key, limits, 0);
      waitsMs.push(performance.now() - beganAt);
      if (kind === 'passed') passed += 1;
    }
  }
  return { passed, waitsMs };
}

/** What flows into a bucket of these tests in the time since a moment. */
function flowedIn(sinceMs: number): number {
  return ((performance.now() - sinceMs) * PER_MINUTE) / 60_000;
}

/** Resolves when both limiters share what they take again. */
async function areShared(): Promise<void> {
  for (const limiter of [one, other]) {
    const isShared = async () => {
      const probe = newKey({ requestsPerMinute: PER_MINUTE });
      await limiter.take(admitRequest(limiter), probe.key, probe.limits, 0);
      return operator
        .exists(`tollgate:{${probe.key.accountTag}}:bucket:key:${probe.key.keyId}:requests`)
        .catch(() => 0);
    };
    await expect.poll(isShared, SOON).toBe(1);
  }
}

async function expectShared(): Promise<void> {
  const key = newKey({ requestsPerMinute: PER_MINUTE });
  const beganAt = performance.now();
  const { passed } = await take(BURST, [one, other], key);
  expect(passed).toBeGreaterThanOrEqual(BURST);
  expect(passed).toBeLessThanOrEqual(BURST + flowedIn(beganAt));
}

describe('limits, when Redis', () => {
  it('is emptied: every bucket is full again and grants one more burst', async () => {
    const key = newKey({ requestsPerMinute: PER_MINUTE });
    const beganAt = performance.now();
    expect((await take(BURST, [one, other], key)).passed).toBeLessThanOrEqual(BURST + flowedIn(beganAt));
    const emptiedAt = performance.now();
    await operator.flushall();
    const fresh = [limiterOn(await open()), limiterOn(await open())];
    const { passed } = await take(BURST, fresh, key);
    expect(passed).toBeGreaterThanOrEqual(BURST);
    expect(passed).toBeLessThanOrEqual(BURST + flowedIn(emptiedAt));
  });

  it('is slow: one request at a time waits for it, and limits apply to each ingress alone meanwhile', async () => {
    const key = newKey({ requestsPerMinute: PER_MINUTE });
    await operator.client('PAUSE', 60_000, 'ALL');
    for (const limiter of [one, other]) {
      const beganAt = performance.now();
      const [first] = (await take(1, [limiter], key)).waitsMs;
      expect(first).toBeGreaterThanOrEqual(TIMEOUT_MS - 10);
      expect(first).toBeLessThan(TIMEOUT_MS + PROMPT_MS);
      const { passed, waitsMs } = await take(2 * BURST, [limiter], key);
      expect(passed).toBeGreaterThanOrEqual(BURST - 1);
      expect(passed).toBeLessThanOrEqual(BURST + flowedIn(beganAt));
      // These took far less time than the pause before Redis is called again, and so does one more.
      expect(waitsMs.filter((ms) => ms > PROMPT_MS).length).toBeLessThanOrEqual(1);
    }
    await server.kill();
  });

  it('is down: no request waits, limits apply to each ingress alone, and are shared when it is back', async () => {
    const key = newKey({ requestsPerMinute: PER_MINUTE, openRequests: 1_000 });
    await server.kill();
    for (const limiter of [one, other]) {
      const beganAt = performance.now();
      const { passed, waitsMs } = await take(2 * BURST, [limiter], key);
      expect(passed).toBeGreaterThanOrEqual(BURST);
      expect(passed).toBeLessThanOrEqual(BURST + flowedIn(beganAt));
      expect(waitsMs.filter((ms) => ms > PROMPT_MS).length).toBeLessThanOrEqual(1);
    }
    await start();
    await areShared();
    await expectShared();
  });

  it('is out of memory: limits apply to each ingress alone without waiting, and are shared when there is some', async () => {
    await operator.config('SET', 'maxmemory', '1');
    const key = newKey({ requestsPerMinute: PER_MINUTE });
    for (const limiter of [one, other]) {
      const beganAt = performance.now();
      const { passed, waitsMs } = await take(2 * BURST, [limiter], key);
      expect(passed).toBeGreaterThanOrEqual(BURST);
      expect(passed).toBeLessThanOrEqual(BURST + flowedIn(beganAt));
      expect(waitsMs.filter((ms) => ms > PROMPT_MS).length).toBeLessThanOrEqual(1);
    }
    await operator.config('SET', 'maxmemory', '0');
    await areShared();
    await expectShared();
  });

  it('is restored from a dump: what was taken since may be taken again, at most one bucket', async () => {
    const key = newKey({ requestsPerMinute: PER_MINUTE });
    const beganAt = performance.now();
    expect((await take(BURST / 4, [one, other], key)).passed).toBe(BURST / 2);
    await operator.save();
    expect((await take(BURST, [one, other], key)).passed).toBeLessThanOrEqual(BURST / 2 + flowedIn(beganAt));
    await server.kill();
    await start();
    const fresh = [limiterOn(await open()), limiterOn(await open())];
    const { passed } = await take(BURST, fresh, key);
    expect(passed).toBeGreaterThanOrEqual(BURST / 2);
    // It has been refilled meanwhile, by Redis's clock.
    expect(passed).toBeLessThanOrEqual(BURST / 2 + flowedIn(beganAt));
  });
});

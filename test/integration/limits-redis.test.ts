import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send } from '@tollgate/test-support/gateway/http';
import { type OwnRedis, startRedis } from '@tollgate/test-support/stores/own-redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { monitorRedis } from './support/redis-monitor.ts';

const DOLLAR = 1_000_000_000n;
const SOON = { timeout: 30_000, interval: 100 };
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 5, ...simulate({ output_tokens: 1 }) };
/** Six at once, then one every two seconds. */
const PER_MINUTE = 36;
const BURST = 6;
let redis: OwnRedis;
let gateway: Gateway;

beforeAll(async () => {
  redis = await startRedis();
  // Redis is either down or responds, however slowly.
  gateway = await startGateway({ ingresses: 2, redis: redis.url, env: { REDIS_TIMEOUT_MS: '10000' } });
});
afterAll(async () => {
  await gateway.stop();
  await redis.stop();
});

async function statusAt(ingress: number, key: string): Promise<number> {
  const url = gateway.stack.facts.base_urls[ingress] ?? '';
  return (await send(url, chatRequest(key, CALL))).status;
}

/** Number of served requests, by ingress; the others were rate limited. */
async function servedOf(count: number, key: string): Promise<number[]> {
  const served = [0, 0];
  for (let requested = 0; requested < count; requested++) {
    const ingress = requested % 2;
    const status = await statusAt(ingress, key);
    expect([200, 429]).toContain(status);
    if (status === 200) served[ingress] = (served[ingress] ?? 0) + 1;
  }
  return served;
}

it('during a Redis outage limits hold per ingress, and again for all afterwards', async () => {
  const limits = { requestsPerMinute: BigInt(PER_MINUTE), openRequests: 100 };
  const account = await gateway.accounts.create(10n * DOLLAR, { limits });
  const keys = await Promise.all([1, 2, 3].map(() => gateway.accounts.createKey(account.accountId, { limits })));
  const [first, second, third] = keys.map(({ key }) => key);
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are three keys');
  const flowedIn = (startedAt: number) => Math.ceil(((performance.now() - startedAt) * PER_MINUTE) / 60_000);

  let startedAt = performance.now();
  const shared = await servedOf(24, first);
  expect((shared[0] ?? 0) + (shared[1] ?? 0)).toBeLessThanOrEqual(BURST + flowedIn(startedAt));

  // Keys are cached in memory: the outage of Redis does not affect them.
  for (const key of [second, third]) for (const ingress of [0, 1]) expect(await statusAt(ingress, key)).toBe(200);
  await redis.kill();
  startedAt = performance.now();
  const alone = await servedOf(40, second);
  for (const served of alone) {
    expect(served).toBeGreaterThanOrEqual(BURST - 1);
    expect(served).toBeLessThanOrEqual(BURST + flowedIn(startedAt));
  }

  await redis.start();
  const monitor = await monitorRedis(redis.url);
  // A script receives the name of its ingress.
  const ingressesSeen = () =>
    new Set(
      monitor.linesWith('"evalsha"').flatMap((line) => line.match(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g)),
    );
  await expect
    .poll(async () => {
      await Promise.all([0, 1].map((ingress) => statusAt(ingress, third)));
      return ingressesSeen().size;
    }, SOON)
    .toBe(2);
  monitor.close();
  const fresh = await gateway.accounts.createKey(account.accountId, { limits });
  startedAt = performance.now();
  const together = await servedOf(24, fresh.key);
  expect((together[0] ?? 0) + (together[1] ?? 0)).toBeLessThanOrEqual(BURST + flowedIn(startedAt));
});

it('a request without limits makes no Redis call; one with limits makes one, and another when it has ended', async () => {
  const free = await gateway.accounts.create(DOLLAR);
  const limits = { requestsPerMinute: 600n, tokensPerMinute: 600_000n, openRequests: 10 };
  const limited = await gateway.accounts.createKey(free.accountId, { limits });
  await expect.poll(() => statusAt(0, free.key), SOON).toBe(200);
  await expect.poll(() => statusAt(0, limited.key), SOON).toBe(200);
  const monitor = await monitorRedis(redis.url);
  const scripts = () => monitor.linesWith('"evalsha"').filter((line) => !line.includes('lua'));
  for (let requested = 0; requested < 5; requested++) expect(await statusAt(0, free.key)).toBe(200);
  for (let requested = 0; requested < 3; requested++) expect(await statusAt(0, limited.key)).toBe(200);
  // Counts of open requests are refreshed periodically, by scripts without bucket names.
  const ofBuckets = () => scripts().filter((line) => line.includes(limited.keyId) && line.includes(':bucket:'));
  await expect.poll(() => ofBuckets().length, SOON).toBe(6);
  expect(scripts().filter((line) => line.includes(free.keyId) || !line.includes(limited.keyId))).toEqual([]);
  monitor.close();
});

import { newAccountTag } from '@tollgate/common/keys/index';
import { findFreePort } from '@tollgate/local';
import type { Account, KeyOptions } from '@tollgate/test-support/gateway/accounts';
import { type Gateway, say, startGateway } from '@tollgate/test-support/gateway/gateway';
import { Link } from '@tollgate/test-support/network/link';
import { type RedisServerProcess, startRedisServerWith } from '@tollgate/test-support/stores/redis-server';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const WAIT = { timeout: 30_000, interval: 20 };
/** Timeout of ingresses and auths for Redis. */
const REDIS_MS = 1_000;
/** Limit for one call, below the time of waiting for an unresponsive Redis. */
const PROMPT_MS = 950;
/** The replica copies the primary at once. */
const SETTINGS = ['--maxmemory-policy', 'noeviction', '--repl-diskless-sync-delay', '0'];
/** Requests per minute with a burst of one. */
const FEW = { requestsPerMinute: 6n };
/** Repetitions of a measurement. */
const TIMES = 3;
const DOLLAR = 1_000_000_000n;

const stops: (() => unknown)[] = [];
/** Proxies through which each process reaches the current Redis. */
const links = new Map<string, Link>();
let gateway: Gateway;

async function startServer(): Promise<RedisServerProcess> {
  const folder = makeTemporaryFolder();
  stops.push(folder.remove);
  const server = await startRedisServerWith({ port: await findFreePort(), folder: folder.path, args: SETTINGS });
  stops.push(server.kill);
  return server;
}

function clientOf(server: RedisServerProcess): Redis {
  const client = new Redis(server.url);
  stops.push(() => client.disconnect());
  return client;
}

let primary: RedisServerProcess;

beforeAll(async () => {
  primary = await startServer();
  const route = async (from: string, to: string, address: string) => {
    if (to !== 'redis') return address;
    const link = await Link.open(`${from}>redis`, address);
    links.set(from, link);
    stops.push(() => link.close());
    return link.address;
  };
  const env = { UNKNOWN_KEYS_BURST: '0', REDIS_TIMEOUT_MS: String(REDIS_MS) };
  gateway = await startGateway({ redis: primary.url, route, env });
  stops.push(() => gateway.stop());
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

function linkOf(name: string): Link {
  const link = links.get(name);
  if (link === undefined) throw new Error(`${name} does not use Redis`);
  return link;
}

function create(limits: KeyOptions['limits'] = {}): Promise<Account> {
  return gateway.accounts.create(DOLLAR, { limits });
}

/** Minimum duration of several attempts in ms, as the machine may be busy. */
async function quickest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const beganAt = performance.now();
    await work();
    times.push(performance.now() - beganAt);
  }
  return Math.min(...times);
}

async function serve(one: Account): Promise<void> {
  expect(await call(one)).toBe(200);
}

/**
 * Minimum duration of a request with a new key. An ingress waits for auth only twice as long as auth for Redis, which
 * may be too short on a busy machine: most are served.
 */
async function firstLook(): Promise<number> {
  const times: number[] = [];
  for (const one of await Promise.all(Array.from({ length: TIMES }, () => create()))) {
    const beganAt = performance.now();
    const status = await call(one);
    expect([200, 503]).toContain(status);
    if (status === 200) times.push(performance.now() - beganAt);
  }
  expect(times.length).toBeGreaterThan(TIMES / 2);
  return Math.min(...times);
}

/** Sends many requests with a key that is allowed six per minute, with a burst of one. */
async function expectFew(limited: Account): Promise<void> {
  const beganAt = performance.now();
  const served = await servedOf(6, limited);
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - beganAt) / 10_000));
}

/** Whether Redis has any key of a kind for an account. */
async function holds(operator: Redis, kind: 'key' | 'bucket', { key }: Account): Promise<boolean> {
  const tag = key.slice('sk-tollgate-'.length, 'sk-tollgate-'.length + newAccountTag().length);
  return (await operator.keys(`tollgate:{${tag}}:${kind}:*`)).length > 0;
}

/** Resolves once the ingress's limits reach this Redis. */
async function sharesLimits(operator: Redis): Promise<void> {
  await vi.waitFor(async () => {
    const probe = await create({ requestsPerMinute: 600n });
    await call(probe);
    expect(await holds(operator, 'bucket', probe)).toBe(true);
  }, WAIT);
}

async function call({ key }: Pick<Account, 'key'>, model = 'small'): Promise<number> {
  return (await gateway.chat(key, { model, messages: say('Hi'), max_tokens: 5 })).status;
}

/** Number of served requests of several at once; the others were rate limited. */
async function servedOf(count: number, one: Account): Promise<number> {
  const statuses = await Promise.all(Array.from({ length: count }, () => call(one)));
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

it('out of memory: keys work and are revoked as usual, and limits hold in each process', async () => {
  const operator = clientOf(primary);
  const warm = await create();
  await serve(warm);
  await operator.config('SET', 'maxmemory', '1');
  try {
    expect(await quickest(() => serve(warm))).toBeLessThan(PROMPT_MS);
    expect(await firstLook()).toBeLessThan(PROMPT_MS);
    const limited = await create(FEW);
    await expectFew(limited);
    expect(await holds(operator, 'bucket', limited)).toBe(false);
    await gateway.accounts.deleteKey(warm.keyId);
    expect(await call(warm)).toBe(401);
  } finally {
    await operator.config('SET', 'maxmemory', '0');
  }
});

it('slow: cached keys do not wait, others wait for the Redis timeouts of ingress and auth', async () => {
  const [warm, ...dying] = await Promise.all([create(), create(), create(), create()]);
  for (const one of [warm, ...dying]) await serve(one);
  for (const link of links.values()) link.set({ kind: 'slow', byMs: REDIS_MS + 100 });
  try {
    expect(await quickest(() => serve(warm))).toBeLessThan(PROMPT_MS);
    const firstMs = await firstLook();
    expect(firstMs).toBeGreaterThanOrEqual(2 * REDIS_MS - 50);
    expect(firstMs).toBeLessThan(2 * REDIS_MS + PROMPT_MS);
    const dead = [...dying];
    const deletionMs = await quickest(() => gateway.accounts.deleteKey(dying.pop()?.keyId ?? ''));
    expect(deletionMs).toBeLessThan(REDIS_MS + PROMPT_MS);
    for (const one of dead) expect(await call(one)).toBe(401);
  } finally {
    for (const link of links.values()) link.set({ kind: 'open' });
  }
});

it('unreachable for auth only: new keys wait for it, and revoked ones stay revoked although their record remains', async () => {
  const operator = clientOf(primary);
  const [warm, dying] = await Promise.all([create(), create()]);
  for (const one of [warm, dying]) await serve(one);
  linkOf('auth').set({ kind: 'stalled' });
  try {
    expect(await quickest(() => serve(warm))).toBeLessThan(PROMPT_MS);
    const firstMs = await firstLook();
    expect(firstMs).toBeGreaterThanOrEqual(REDIS_MS - 50);
    expect(firstMs).toBeLessThan(REDIS_MS + PROMPT_MS);
    const [cold, limited] = await Promise.all([create(), create(FEW)]);
    await vi.waitFor(() => serve(cold), WAIT);
    expect(await holds(operator, 'key', cold)).toBe(false);
    await expectFew(limited);
    expect(await holds(operator, 'bucket', limited)).toBe(true);
    await gateway.accounts.deleteKey(dying.keyId);
    expect(await holds(operator, 'key', dying)).toBe(true);
    expect(await call(dying)).toBe(401);
  } finally {
    linkOf('auth').set({ kind: 'open' });
  }
});

it('unreachable for ingresses only: keys work and are revoked as usual, and limits hold in each process', async () => {
  const operator = clientOf(primary);
  const [warm, dying] = await Promise.all([create(), create()]);
  for (const one of [warm, dying]) await serve(one);
  linkOf('ingress').set({ kind: 'cut' });
  try {
    expect(await quickest(() => serve(warm))).toBeLessThan(PROMPT_MS);
    expect(await firstLook()).toBeLessThan(PROMPT_MS);
    const limited = await create(FEW);
    await expectFew(limited);
    expect(await holds(operator, 'bucket', limited)).toBe(false);
    await gateway.accounts.deleteKey(dying.keyId);
    expect(await call(dying)).toBe(401);
  } finally {
    linkOf('ingress').set({ kind: 'open' });
  }
  await sharesLimits(operator);
});

it('failed over to a lagging replica: restored records of revoked keys are rejected', async () => {
  const replica = await startServer();
  const replication = await Link.open('replica>primary', `127.0.0.1:${primary.port}`);
  stops.push(() => replication.close());
  const follower = clientOf(replica);
  const [host = '', port = ''] = replication.address.split(':');
  await follower.replicaof(host, port);

  const [dead, narrowed, good] = await Promise.all([create(), create(), create()]);
  const limited = await create({ requestsPerMinute: 36n });
  for (const one of [dead, narrowed, good, limited]) expect(await call(one)).toBe(200);
  const leader = clientOf(primary);
  const lag = async () => {
    const [, ours = ''] = /master_repl_offset:(\d+)/.exec(await leader.info('replication')) ?? [];
    const [, theirs = ''] = /slave_repl_offset:(\d+)/.exec(await follower.info('replication')) ?? [];
    return Number(ours) - Number(theirs || -1);
  };
  await vi.waitFor(async () => expect(await lag()).toBe(0), WAIT);
  replication.set({ kind: 'stalled' });
  await gateway.accounts.deleteKey(dead.keyId);
  await gateway.accounts.updateKey(narrowed.keyId, { allowedModels: { ids: ['odd'] } });
  const takenAt = performance.now();
  // A bucket of 36 per minute has a burst of six.
  expect(await servedOf(12, limited)).toBeGreaterThanOrEqual(5);
  expect(await lag()).toBeGreaterThan(0);

  await follower.replicaof('NO', 'ONE');
  for (const link of links.values()) link.moveTo(`127.0.0.1:${replica.port}`);
  const statuses = async () => [await call(dead), await call(narrowed), await call(narrowed, 'odd'), await call(good)];
  const expected = [401, 400, 200, 200];
  expect(await statuses()).toEqual(expected);
  await sharesLimits(follower);
  // Tokens taken during the lag are available again, but no more; the ingress calls Redis when there may be one by its
  // own count.
  await vi.waitFor(async () => expect(await call(limited)).toBe(200), WAIT);
  const again = 1 + (await servedOf(12, limited));
  expect(again).toBeGreaterThanOrEqual(5);
  expect(again).toBeLessThanOrEqual(6 + ((performance.now() - takenAt) * 36) / 60_000);
  // A newly started one has not seen the revocations: it receives them before it accepts a record.
  await gateway.stack.restart('ingress');
  await vi.waitFor(async () => expect(await follower.client('LIST')).toMatch(/name=tollgate-ingress/), WAIT);
  expect(await statuses()).toEqual(expected);
});

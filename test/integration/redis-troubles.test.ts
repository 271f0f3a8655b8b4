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
/** How long ingresses and auths wait for Redis. */
const REDIS_MS = 1_000;
/** For one call: below what waiting for a Redis that does not answer would take. */
const PROMPT_MS = 950;
/** A replica gets its first copy at once. */
const SETTINGS = ['--maxmemory-policy', 'noeviction', '--repl-diskless-sync-delay', '0'];
/** Requests per minute that are one at once. */
const FEW = { requestsPerMinute: 6n };
/** How often what is timed is done. */
const TIMES = 3;
const DOLLAR = 1_000_000_000n;

const stops: (() => unknown)[] = [];
/** Through which each process reaches whichever Redis is in office. */
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

/** How long something takes at least, in ms: of a few times, as a machine may be busy. */
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
 * How long a request takes at least whose key is seen for the first time. An ingress waits for auth only twice as long as
 * auth for Redis, which a busy machine can make too short: most are served.
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

/** Asks many times with a key that is allowed six requests a minute, which are one at once. */
async function expectFew(limited: Account): Promise<void> {
  const beganAt = performance.now();
  const served = await servedOf(6, limited);
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - beganAt) / 10_000));
}

/** Whether Redis has any entry of a kind of the account that a key belongs to. */
async function holds(operator: Redis, kind: 'key' | 'bucket', { key }: Account): Promise<boolean> {
  const tag = key.slice('sk-tollgate-'.length, 'sk-tollgate-'.length + newAccountTag().length);
  return (await operator.keys(`tollgate:{${tag}}:${kind}:*`)).length > 0;
}

/** Resolves once what the ingress takes of limits reaches this Redis. */
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

/** How many of some calls at once are answered; the others are refused for the limit. */
async function servedOf(count: number, one: Account): Promise<number> {
  const statuses = await Promise.all(Array.from({ length: count }, () => call(one)));
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

it('out of memory: keys are served and die as ever, and limits hold in each process', async () => {
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

it('slow: keys that are known wait for nothing, others for as long as the ingress and auth wait for Redis', async () => {
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

it('out of reach of auth alone: new keys wait for it, and what dies stays dead though its record is left', async () => {
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

it('out of reach of ingresses alone: keys are served and die as ever, and limits hold in each process', async () => {
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

it('failed over to a replica that lags: what it brings back of the dead is not believed', async () => {
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
  // A bucket of 36 a minute holds six.
  expect(await servedOf(12, limited)).toBeGreaterThanOrEqual(5);
  expect(await lag()).toBeGreaterThan(0);

  await follower.replicaof('NO', 'ONE');
  for (const link of links.values()) link.moveTo(`127.0.0.1:${replica.port}`);
  const statuses = async () => [await call(dead), await call(narrowed), await call(narrowed, 'odd'), await call(good)];
  const expected = [401, 400, 200, 200];
  expect(await statuses()).toEqual(expected);
  await sharesLimits(follower);
  // What was taken in the lag is there again, and nothing beyond; the ingress asks when there can be one by what it knows.
  await vi.waitFor(async () => expect(await call(limited)).toBe(200), WAIT);
  const again = 1 + (await servedOf(12, limited));
  expect(again).toBeGreaterThanOrEqual(5);
  expect(again).toBeLessThanOrEqual(6 + ((performance.now() - takenAt) * 36) / 60_000);
  // One that begins only now has seen nothing of it: it learns what has died before it believes a record.
  await gateway.stack.restart('ingress');
  await vi.waitFor(async () => expect(await follower.client('LIST')).toMatch(/name=tollgate-ingress/), WAIT);
  expect(await statuses()).toEqual(expected);
});

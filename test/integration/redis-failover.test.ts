import { findFreePort } from '@tollgate/local';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Link } from '../revocation/support/link.ts';
import { type RedisServerProcess, startRedisServerWith } from '../support/redis-server.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Account } from './support/accounts.ts';
import { type Gateway, say, startGateway } from './support/gateway.ts';

const WAIT = { timeout: 20_000, interval: 20 };
/** For one call: below what waiting for a Redis that does not answer would take. */
const PROMPT_MS = 450;

const stops: (() => unknown)[] = [];
/** Through which the gateway reaches whichever Redis is in office. */
let office: Link;
let gateway: Gateway;

async function startServer(...args: string[]): Promise<RedisServerProcess> {
  const folder = makeTemporaryFolder();
  stops.push(folder.remove);
  const server = await startRedisServerWith({ port: await findFreePort(), folder: folder.path, args });
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
  primary = await startServer('--maxmemory-policy', 'noeviction');
  office = await Link.open('gateway>redis', `127.0.0.1:${primary.port}`);
  stops.push(() => office.close());
  gateway = await startGateway({ redis: `redis://${office.address}`, env: { FAILED_ATTEMPTS_BURST: '0' } });
  stops.push(() => gateway.stop());
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

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
  const warm = await gateway.accounts.create(1_000_000_000n);
  expect(await call(warm)).toBe(200);
  await operator.config('SET', 'maxmemory', '1');
  try {
    const limited = await gateway.accounts.create(1_000_000_000n, { limits: { requestsPerMinute: 6n } });
    const cold = await gateway.accounts.create(1_000_000_000n);
    const began = performance.now();
    expect([await call(warm), await call(cold)]).toEqual([200, 200]);
    expect(performance.now() - began).toBeLessThan(PROMPT_MS * 2);
    // Six a minute are one at once; while the six calls are under way, hardly another.
    expect(await servedOf(6, limited)).toBeLessThanOrEqual(2);
    await gateway.accounts.deleteKey(warm.keyId);
    expect(await call(warm)).toBe(401);
  } finally {
    await operator.config('SET', 'maxmemory', '0');
  }
});

it('failed over to a replica that lags: what it brings back of the dead is not believed', async () => {
  const replica = await startServer('--maxmemory-policy', 'noeviction');
  const replication = await Link.open('replica>primary', `127.0.0.1:${primary.port}`);
  stops.push(() => replication.close());
  const follower = clientOf(replica);
  const [host = '', port = ''] = replication.address.split(':');
  await follower.replicaof(host, port);

  const create = () => gateway.accounts.create(1_000_000_000n);
  const [dead, narrowed, good] = await Promise.all([create(), create(), create()]);
  for (const one of [dead, narrowed, good]) expect(await call(one)).toBe(200);
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
  expect(await lag()).toBeGreaterThan(0);

  await follower.replicaof('NO', 'ONE');
  office.moveTo(`127.0.0.1:${replica.port}`);
  const statuses = async () => [await call(dead), await call(narrowed), await call(narrowed, 'odd'), await call(good)];
  const expected = [401, 400, 200, 200];
  const began = performance.now();
  expect(await statuses()).toEqual(expected);
  expect(performance.now() - began).toBeLessThan(PROMPT_MS * expected.length);
  // One that begins only now has seen nothing of it: it learns what has died before it believes a record.
  await gateway.stack.restart('ingress');
  await vi.waitFor(async () => expect(await follower.client('LIST')).toMatch(/name=tollgate-ingress/), WAIT);
  expect(await statuses()).toEqual(expected);
});

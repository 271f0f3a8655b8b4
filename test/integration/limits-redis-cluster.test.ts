import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open, send } from '@tollgate/test-support/gateway/http';
import { type RedisCluster, startRedisCluster } from '@tollgate/test-support/stores/redis-cluster';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';

const DOLLAR = 1_000_000_000n;
const SOON = { timeout: 30_000, interval: 50 };
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 5, ...simulate({ output_tokens: 1 }) };
const SLOW = { ...CALL, stream: true, max_tokens: 500, ...simulate({ output_tokens: 500, token_delay_ms: 100 }) };
let cluster: RedisCluster;
let gateway: Gateway;

beforeAll(async () => {
  cluster = await startRedisCluster();
  for (const { port } of cluster.nodes) {
    const operator = new Redis(port);
    await operator.call('ACL', 'SETUSER', 'tollgate', 'on', '>p@ss', '~tollgate:*', '+@all');
    operator.disconnect();
  }
  gateway = await startGateway({
    ingresses: 2,
    redis: `rediss://tollgate:p%40ss@${cluster.tlsAddresses[0]}?cluster=true`,
    env: { NODE_EXTRA_CA_CERTS: cluster.certificate.cert },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await cluster?.stop();
});

async function statusAt(ingress: number, key: string): Promise<number> {
  return (await send(gateway.stack.facts.base_urls[ingress] ?? '', chatRequest(key, CALL))).status;
}

/** Keys of a prefix on all nodes. */
async function entries(kind: string): Promise<number> {
  const counts = cluster.nodes.map(async ({ port }) => {
    const operator = new Redis(port);
    const found = await operator.keys(`tollgate:{*}:${kind}:*`);
    operator.disconnect();
    return found.length;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

it('a Redis Cluster stores the limits of several ingresses, and the keys', async () => {
  const limits = { requestsPerMinute: 60n, tokensPerMinute: 600_000n };
  const accounts = await Promise.all(Array.from({ length: 6 }, () => gateway.accounts.create(DOLLAR, { limits })));
  const startedAt = performance.now();
  await Promise.all(
    accounts.map(async ({ key }) => {
      const statuses: number[] = [];
      for (let requested = 0; requested < 16; requested++) statuses.push(await statusAt(requested % 2, key));
      const served = statuses.filter((status) => status === 200).length;
      expect(served).toBeGreaterThanOrEqual(10);
      expect(served).toBeLessThanOrEqual(10 + Math.ceil((performance.now() - startedAt) / 1_000));
      expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    }),
  );
  expect(await entries('key')).toBeGreaterThanOrEqual(6);
  expect(await entries('bucket')).toBeGreaterThanOrEqual(6);

  const one = await gateway.accounts.create(DOLLAR, { limits: { openRequests: 1 } });
  const stream = await open(gateway.stack.facts.base_urls[0] ?? '', chatRequest(one.key, SLOW));
  expect(stream.statusCode).toBe(200);
  expect([await statusAt(0, one.key), await statusAt(1, one.key)]).toEqual([429, 429]);
  expect(await entries('open')).toBe(1);
  stream.destroy();
  for (const ingress of [0, 1]) await expect.poll(() => statusAt(ingress, one.key), SOON).toBe(200);
  await gateway.accounts.deleteKey(one.keyId);
  for (const ingress of [0, 1]) expect(await statusAt(ingress, one.key)).toBe(401);
});

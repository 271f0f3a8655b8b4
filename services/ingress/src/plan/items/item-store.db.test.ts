import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger } from '@tollgate/common/logging';
import { createRedis } from '@tollgate/common/redis/client';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ItemCipher, ItemStore } from './item-store.ts';

const LIFE_MS = 60_000;

describe('ItemStore', () => {
  const redis = createRedis(
    { url: redisUrl(), connectionName: 'item-store-test', commandTimeoutMs: 5_000 },
    createLogger('test', 'silent'),
  );
  const cipher = new ItemCipher([randomBytes(32)]);
  let clock = Date.now();
  const store = new ItemStore({ redis, cipher, ttlMs: LIFE_MS, now: () => clock });

  beforeAll(async () => {
    if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  });
  afterAll(() => redis.disconnect());

  it('finds stored items for the same account only', async () => {
    const account = randomUUID();
    await store.store(account, [
      { id: 'msg_1', json: '{"type":"message"}' },
      { id: 'rs_1', json: '{"type":"reasoning"}' },
    ]);
    expect(await store.find(account, ['rs_1', 'msg_1', 'fc_9'])).toEqual(
      new Map([
        ['rs_1', '{"type":"reasoning"}'],
        ['msg_1', '{"type":"message"}'],
      ]),
    );
    expect(await store.find(randomUUID(), ['rs_1'])).toEqual(new Map());
  });

  it('drops an item after its TTL, and not before', async () => {
    const account = randomUUID();
    await store.store(account, [{ id: 'msg_1', json: '{}' }]);
    clock += LIFE_MS;
    expect((await store.find(account, ['msg_1'])).size).toBe(1);
    clock += 2 * LIFE_MS;
    expect((await store.find(account, ['msg_1'])).size).toBe(0);
  });

  it('lets Redis expire its items', async () => {
    const account = randomUUID();
    await store.store(account, [{ id: 'msg_1', json: '{}' }]);
    const [key] = await redis.keys(`{${account}}items:*`);
    const left = await redis.pttl(key ?? '');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(2 * LIFE_MS);
  });

  it('stores no more than its limit per account', async () => {
    const account = randomUUID();
    const large = JSON.stringify('x'.repeat(3 * 1024 * 1024));
    expect(
      await store.store(
        account,
        ['a', 'b', 'c'].map((id) => ({ id, json: large })),
      ),
    ).toBe(1);
    const many = Array.from({ length: 2_500 }, (_, i) => ({ id: `m${i}`, json: '{}' }));
    expect(await store.store(account, many)).toBeLessThanOrEqual(2_000);
  });

  it('reveals nothing of an item in Redis', async () => {
    const account = randomUUID();
    await store.store(account, [{ id: 'msg_1', json: '{"text":"a secret"}' }]);
    const [key] = await redis.keys(`{${account}}items:*`);
    const raw = JSON.stringify(await redis.hgetall(key ?? ''));
    expect(raw).toContain('msg_1');
    expect(raw).not.toContain('secret');
    expect(Buffer.from(raw).toString('base64')).not.toContain(Buffer.from('a secret').toString('base64').slice(0, 8));
  });
});

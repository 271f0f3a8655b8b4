import { setImmediate } from 'node:timers/promises';
import { AuthUnderTest, silent } from '@tollgate/auth/testing/auth-under-test';
import { Nodes } from '@tollgate/auth/testing/nodes';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newKey, sha256Hex } from '@tollgate/common/keys/index';
import { createRedis } from '@tollgate/common/redis/client';
import { cachedKey } from '@tollgate/common/testing/cached-key';
import { type Account, AuthServiceClient } from '@tollgate/proto/auth';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuthStores, openAuthStores } from '../../../testing/auth-stores.ts';
import { authenticateText, type Ingress, openIngress as openAt } from '../../../testing/open-ingress.ts';
import { KeyAuthenticator, type KeyAuthenticatorOptions } from './key-authenticator.ts';
import { RevokedKeys } from './revoked-keys.ts';
import { UnknownKeyLimiter } from './unknown-key-limiter.ts';

const TRUST_MS = 6_000;
const WAIT = { timeout: 30_000, interval: 5 };

let stores: AuthStores;
let auth: AuthUnderTest;
let account: Account;
const opened: Ingress[] = [];

async function openIngress(options: Partial<KeyAuthenticatorOptions> = {}): Promise<Ingress> {
  const addresses = { redisUrl: stores.redis.url, watchAddress: auth.address, resolveAddress: auth.address };
  const ingress = await openAt(addresses, options);
  opened.push(ingress);
  return ingress;
}

beforeAll(async () => {
  stores = await openAuthStores();
});
beforeEach(async () => {
  await stores.redis.start();
  auth = await stores.startAuth(TRUST_MS);
  account = await auth.createAccount();
});
afterEach(async () => {
  for (const ingress of opened.splice(0)) await ingress.close();
  await auth.stop();
});
afterAll(async () => {
  await stores?.close();
});

const deleted = expect.objectContaining({ kind: 'refused', reason: 'deleted' });
const unknown = expect.objectContaining({ kind: 'refused', reason: 'unknown' });

describe('authenticating a key', () => {
  it('calls auth once, then reads Redis', async () => {
    const { authenticator } = await openIngress();
    const { key, secret } = await auth.createKey(account.accountId, { allowedModels: ['m'] });
    const active = {
      kind: 'active',
      key: cachedKey({
        keyId: key.keyId,
        keyName: 'a key',
        accountId: account.accountId,
        accountTag: account.tag,
        allowedModels: ['m'],
        nodes: [
          {
            ...{ scope: 'project', nodeId: account.accountId, name: 'default', revision: 1n },
            ...{ caps: undefined, limits: undefined, allowedModels: [], grants: [] },
          },
        ],
      }),
    };
    expect(await authenticateText(authenticator, secret)).toEqual(active);
    // The key's row is deleted, so only the cache has it.
    await stores.pool.query('DELETE FROM auth.keys WHERE key_id = $1', [key.keyId]);
    const other = await openIngress();
    expect(await authenticateText(other.authenticator, secret)).toEqual(active);
  });

  it('refuses malformed ones without a lookup in any store', async () => {
    const redis = createRedis({ url: 'redis://127.0.0.1:1', connectionName: 'test', commandTimeoutMs: 100 }, silent);
    const client = createGrpcClient(AuthServiceClient, '127.0.0.1:1');
    const revocations = { trusted: () => false, revoked: new RevokedKeys(), generation: 0 };
    const unknownKeys = new UnknownKeyLimiter({ burst: 0, now: () => 1 });
    const options = { auth: client, redis, revocations, unknownKeys, serviceName: 'tollgate', logger: silent };
    const authenticator = new KeyAuthenticator(options);
    try {
      const { text } = newKey('tollgate', 'abcdef');
      const swapped = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
      for (const wrong of ['', 'x'.repeat(10_000), swapped, newKey('other', 'abcdef').text]) {
        expect(await authenticateText(authenticator, wrong)).toMatchObject({ kind: 'refused', reason: 'malformed' });
      }
      expect(await authenticateText(authenticator, text)).toEqual({ kind: 'unavailable' });
    } finally {
      redis.disconnect();
      client.close();
    }
  });

  it('refuses unknown ones, and keeps them out of Redis', async () => {
    const { authenticator, redis } = await openIngress();
    const { text } = newKey('tollgate', account.tag);
    expect(await authenticateText(authenticator, text)).toEqual(unknown);
    expect(await authenticateText(authenticator, text)).toEqual(unknown);
    expect(await redis.exists(`tollgate:{${account.tag}}:key:${sha256Hex(text)}`)).toBe(0);
  });

  it("refuses an expired one by the ingress's own clock, though the cache holds it", async () => {
    let ahead = 0;
    const { authenticator } = await openIngress({ wallClock: () => Date.now() + ahead });
    const { secret } = await auth.createKey(account.accountId, { expiresAtMs: BigInt(Date.now() + 30_000) });
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    ahead = 30_000;
    expect(await authenticateText(authenticator, secret)).toMatchObject({ kind: 'refused', reason: 'expired' });
  });

  it('refuses those of a suspended account, until the suspension is lifted', async () => {
    const { authenticator } = await openIngress();
    const { secret } = await auth.createKey(account.accountId);
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    await auth.suspend(account.accountId, 'unpaid');
    expect(await authenticateText(authenticator, secret)).toMatchObject({
      kind: 'refused',
      reason: 'account_suspended',
    });
    await auth.resume(account.accountId);
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
  });

  it('refuses all below a project or owner that is switched off, until it is on again, and for good when it is deleted', async () => {
    const { authenticator } = await openIngress();
    const { accountId } = account;
    const nodes = new Nodes(auth, accountId);
    const { projectId } = await nodes.createProject('Research');
    const made = await nodes.createServiceAccount(projectId, 'ci');
    const keys = await Promise.all([
      auth.createKey(accountId, { projectId }),
      auth.createKey(accountId, { serviceAccountId: made.serviceAccountId }),
      auth.createKey(accountId),
    ]);
    const reasons = () =>
      Promise.all(
        keys.map(async ({ secret }) => {
          const result = await authenticateText(authenticator, secret);
          return result.kind === 'refused' ? result.reason : result.kind;
        }),
      );
    expect(await reasons()).toEqual(['active', 'active', 'active']);
    await nodes.updateServiceAccount(made, { enabled: false });
    expect(await reasons()).toEqual(['active', 'off', 'active']);
    await nodes.updateProject(projectId, { enabled: false });
    await nodes.updateServiceAccount(made, { enabled: true });
    expect(await reasons()).toEqual(['off', 'off', 'active']);
    await nodes.updateProject(projectId, { enabled: true });
    expect(await reasons()).toEqual(['active', 'active', 'active']);
    await nodes.deleteProject(projectId);
    expect(await reasons()).toEqual(['off', 'off', 'active']);
  });

  it("refuses those whose project has ended, by the ingress's own clock, though the cache holds them", async () => {
    let ahead = 0;
    const { authenticator } = await openIngress({ wallClock: () => Date.now() + ahead });
    const nodes = new Nodes(auth, account.accountId);
    const { projectId } = await nodes.createProject('Trial', { expiresAtMs: BigInt(Date.now() + 30_000) });
    const { secret } = await auth.createKey(account.accountId, { projectId });
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    ahead = 30_000;
    expect(await authenticateText(authenticator, secret)).toMatchObject({ kind: 'refused', reason: 'expired' });
  });

  it('reports whose key it refuses: as auth resolves it, from memory, and as the stream of changes reports it', async () => {
    const [before, after] = [await openIngress(), await openIngress()];
    const { key, secret } = await auth.createKey(account.accountId);
    expect((await authenticateText(before.authenticator, secret)).kind).toBe('active');
    const owner = { keyId: key.keyId, keyName: '', accountId: account.accountId };
    await auth.deleteKey(key.keyId);
    for (const { authenticator } of [before, after, await openIngress()]) {
      expect(await authenticateText(authenticator, secret)).toEqual({ kind: 'refused', reason: 'deleted', owner });
      expect(await authenticateText(authenticator, secret)).toEqual({ kind: 'refused', reason: 'deleted', owner });
    }
  });

  it('reports whose value it refuses after rotations', async () => {
    const { key, secret } = await auth.createKey(account.accountId);
    const { authenticator } = await openIngress();
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    for (const overlapMs of [0, 0]) await auth.rotateKey(key.keyId, overlapMs);
    expect(await authenticateText(authenticator, secret)).toMatchObject({
      kind: 'refused',
      owner: { keyId: key.keyId, accountId: account.accountId },
    });
  });

  it('reports whose key has expired or is suspended, and nobody for one that does not exist', async () => {
    let ahead = 0;
    const { authenticator } = await openIngress({ wallClock: () => Date.now() + ahead });
    const { key, secret } = await auth.createKey(account.accountId, { expiresAtMs: BigInt(Date.now() + 30_000) });
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    const owner = { keyId: key.keyId, accountId: account.accountId };
    ahead = 30_000;
    expect(await authenticateText(authenticator, secret)).toMatchObject({ owner: { ...owner, keyName: 'a key' } });
    await auth.suspend(account.accountId, 'unpaid');
    expect(await authenticateText(authenticator, secret)).toMatchObject({ reason: 'account_suspended', owner });
    const { text } = newKey('tollgate', account.tag);
    expect(await authenticateText(authenticator, text)).toEqual({
      kind: 'refused',
      reason: 'unknown',
      owner: undefined,
    });
  });

  it('shares one call among concurrent requests', async () => {
    const { authenticator } = await openIngress();
    const { secret } = await auth.createKey(account.accountId);
    const results = await Promise.all(Array.from({ length: 500 }, () => authenticateText(authenticator, secret)));
    expect(new Set(results.map((result) => result.kind))).toEqual(new Set(['active']));
  });
});

describe('a deleted key', () => {
  it('is dead on every ingress when the deletion returns, even if it is warm', async () => {
    const ingresses = await Promise.all([openIngress(), openIngress(), openIngress()]);
    for (let round = 0; round < 10; round++) {
      const { key, secret } = await auth.createKey(account.accountId);
      for (const { authenticator } of ingresses) {
        expect((await authenticateText(authenticator, secret)).kind).toBe('active');
      }
      await auth.deleteKey(key.keyId);
      for (const { authenticator } of ingresses) expect(await authenticateText(authenticator, secret)).toEqual(deleted);
    }
  });

  it('is never accepted by a request that starts after the deletion returned, under load', async () => {
    const ingresses = await Promise.all([openIngress(), openIngress()]);
    const { key, secret } = await auth.createKey(account.accountId);
    let dead = false;
    let late = 0;
    let before = 0;
    const load = ingresses.map(async ({ authenticator }) => {
      for (let after = 0; after < 200; ) {
        const beganDead = dead;
        const { kind } = await authenticateText(authenticator, secret);
        // A refusal from memory waits for nothing, so the loop itself has to let the rest of the process run.
        await setImmediate();
        if (beganDead) after++;
        else before++;
        if (beganDead && kind === 'active') late++;
      }
    });
    await vi.waitFor(() => expect(before).toBeGreaterThan(100), WAIT);
    await auth.deleteKey(key.keyId);
    dead = true;
    await Promise.all(load);
    expect(late).toBe(0);
  });

  it('stays dead when Redis is restored from an earlier dump', async () => {
    const { authenticator, redis } = await openIngress();
    const { key, secret } = await auth.createKey(account.accountId);
    await authenticateText(authenticator, secret);
    const names = await redis.keys(`tollgate:{${account.tag}}:*`);
    const dump = await Promise.all(names.map(async (name) => [name, (await redis.get(name)) ?? ''] as const));
    expect(dump.length).toBeGreaterThanOrEqual(1);
    await auth.deleteKey(key.keyId);
    await redis.flushall();
    for (const [name, value] of dump) await redis.set(name, value);
    expect(await authenticateText(authenticator, secret)).toEqual(deleted);
    // An ingress that starts now has never seen the stream before.
    const fresh = await openIngress();
    expect(await authenticateText(fresh.authenticator, secret)).toEqual(deleted);
  });

  it('is dead while Redis is down, before and after', async () => {
    const { authenticator } = await openIngress();
    const { key, secret } = await auth.createKey(account.accountId);
    await authenticateText(authenticator, secret);
    await stores.redis.kill();
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    await auth.deleteKey(key.keyId);
    expect(await authenticateText(authenticator, secret)).toEqual(deleted);
    await stores.redis.start();
    const fresh = await openIngress();
    expect(await authenticateText(fresh.authenticator, secret)).toEqual(deleted);
  });
});

describe('an ingress cut off from auth', () => {
  it('serves warm keys while its trust lasts, then reports that it is unavailable', async () => {
    const { authenticator, watch } = await openIngress();
    const { secret } = await auth.createKey(account.accountId);
    await authenticateText(authenticator, secret);
    await auth.stop();
    try {
      expect(watch.trusted()).toBe(true);
      expect((await authenticateText(authenticator, secret)).kind).toBe('active');
      await vi.waitFor(() => expect(watch.trusted()).toBe(false), WAIT);
      expect(await authenticateText(authenticator, secret)).toEqual({ kind: 'unavailable' });
    } finally {
      auth = await stores.startAuth(TRUST_MS);
    }
  });

  it('receives what it missed when it is connected again', async () => {
    const port = auth.address.split(':')[1] ?? '';
    const { authenticator, watch } = await openIngress();
    const { key, secret } = await auth.createKey(account.accountId);
    await authenticateText(authenticator, secret);
    const elsewhere = await stores.startAuth(TRUST_MS);
    try {
      await auth.stop();
      await elsewhere.deleteKey(key.keyId);
      expect(watch.trusted()).toBe(false);
      auth = await AuthUnderTest.start({
        DATABASE_URL: stores.database.url,
        REDIS_URL: stores.redis.url,
        TRUST_MS: String(TRUST_MS),
        GRPC_PORT: port,
      });
      await vi.waitFor(() => expect(watch.trusted()).toBe(true), WAIT);
      expect(watch.revoked.has(sha256Hex(secret))).toBe(true);
      expect(await authenticateText(authenticator, secret)).toEqual(deleted);
    } finally {
      await elsewhere.stop();
    }
  });

  it('trusts nothing once it is stopped, and delays no deletion', async () => {
    const [before, { key }] = [await auth.createKey(account.accountId), await auth.createKey(account.accountId)];
    // An auth that has just started waits once for ingresses that were cut off before.
    await auth.deleteKey(before.key.keyId);
    const { watch } = await openIngress();
    await watch.stop();
    expect(watch.trusted()).toBe(false);
    const began = performance.now();
    await auth.deleteKey(key.keyId);
    expect(performance.now() - began).toBeLessThan(TRUST_MS);
  });

  it('calls auth for every key without trust, although Redis has a record', async () => {
    const revocations = { trusted: () => false, revoked: new RevokedKeys(), generation: 0 };
    const { authenticator } = await openIngress({ revocations });
    const { key, secret } = await auth.createKey(account.accountId);
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    await stores.pool.query('UPDATE auth.keys SET deleted_at = now() WHERE key_id = $1', [key.keyId]);
    expect(await authenticateText(authenticator, secret)).toEqual(deleted);
  });
});

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type CachedKey, KeyCache, RECORD_LIFE_MS, sha256Hex } from '@tollgate/common/keys/index';
import type { Pool } from '@tollgate/common/postgres/pool';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { calledBy } from '@tollgate/common/testing/actors';
import { cachedKey } from '@tollgate/common/testing/cached-key';
import { type Account, KeyRefusal, NodeScope } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { type AuthUnderTest, required, silent } from '../../testing/auth-under-test.ts';
import { Nodes } from '../../testing/nodes.ts';
import { createResolveKeyHandler } from './resolve-key.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;
let pool: Pool;
let redis: RedisClient;
let cache: KeyCache;
let account: Account;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth, pool, redis, cache } = fixture);
  account = await auth.createAccount();
});
afterAll(() => fixture?.stop());

const NO_LIMITS = { caps: undefined, limits: undefined, allowedModels: [], grants: [] };
const context = calledBy(undefined);
const hashOf = (secret: string) => Buffer.from(sha256Hex(secret), 'hex');
const cached = (secret: string) => cache.read(account.tag, sha256Hex(secret));

describe('resolving a key', () => {
  it('returns an active one and writes the same to the cache', async () => {
    const { key, secret } = await auth.createKey(account.accountId, { allowedModels: ['m'] });
    expect(await cached(secret)).toBeUndefined();
    const result = await auth.resolve(hashOf(secret), account.tag);
    const known = cachedKey({
      keyId: key.keyId,
      keyName: 'a key',
      accountId: account.accountId,
      accountTag: account.tag,
      allowedModels: ['m'],
    });
    const node = { ...NO_LIMITS, nodeId: account.accountId, name: 'default', revision: 1n };
    const nodes = [{ ...node, scope: NodeScope.PROJECT }];
    expect(result).toEqual({ $case: 'active', value: { ...known, expiresAtMs: 0n, nodes } });
    expect(await cached(secret)).toMatchObject({ key: { ...known, nodes: [{ ...node, scope: 'project' }] } });
  });

  it('returns what is above it, root first, with the earliest end of all', async () => {
    const { accountId, tag } = await auth.createAccount();
    const nodes = new Nodes(auth, accountId);
    const caps = { dayNanos: 1n, weekNanos: 2n, monthNanos: 3n, totalNanos: 4n };
    const limits = { requestsPerMinute: 60n, tokensPerMinute: 5n, openRequests: 6 };
    const [sooner, later, latest] = [1n, 2n, 3n].map((hours) => BigInt(Date.now()) + hours * 3_600_000n);
    const { projectId } = await nodes.createProject('Research', { caps, expiresAtMs: required(later) });
    const given = { limits, allowedModels: { ids: ['m'] }, expiresAtMs: required(sooner) };
    const { serviceAccountId } = await nodes.createServiceAccount(projectId, 'ci', given);
    const { secret } = await auth.createKey(accountId, { serviceAccountId, expiresAtMs: required(latest) });
    const project = { ...NO_LIMITS, scope: NodeScope.PROJECT, nodeId: projectId, name: 'Research', caps, revision: 1n };
    const owner = {
      ...{ scope: NodeScope.SERVICE_ACCOUNT, nodeId: serviceAccountId, name: 'ci', revision: 1n },
      ...{ ...NO_LIMITS, limits, allowedModels: ['m'] },
    };
    const value = expect.objectContaining({ expiresAtMs: sooner, nodes: [project, owner] });
    expect(await auth.resolve(hashOf(secret), tag)).toEqual({ $case: 'active', value });
    expect(await cache.read(tag, sha256Hex(secret))).toMatchObject({
      key: {
        expiresAtMs: Number(sooner),
        nodes: [
          { ...project, scope: 'project' },
          {
            ...owner,
            scope: 'service_account',
            limits: { requestsPerMinute: 60, tokensPerMinute: 5, openRequests: 6 },
          },
        ],
      },
    });
    await nodes.updateServiceAccount({ projectId, serviceAccountId }, { expiresAtMs: 0n });
    expect(await auth.resolve(hashOf(secret), tag)).toMatchObject({ value: { expiresAtMs: later } });
  });

  it('refuses unknown, deleted, expired and suspended ones, and caches none of them', async () => {
    const refused = (value: KeyRefusal) => ({ $case: 'refused', value });
    expect(await auth.resolve(randomBytes(32), account.tag)).toEqual(refused(KeyRefusal.UNKNOWN));

    const deleted = await auth.createKey(account.accountId);
    await auth.deleteKey(deleted.key.keyId);
    expect(await auth.resolve(hashOf(deleted.secret), account.tag)).toEqual(refused(KeyRefusal.DELETED));
    expect(await cached(deleted.secret)).toBeUndefined();

    const expired = await auth.createKey(account.accountId);
    await pool.query("UPDATE auth.keys SET expires_at = now() - interval '1 ms' WHERE key_id = $1", [
      expired.key.keyId,
    ]);
    expect(await auth.resolve(hashOf(expired.secret), account.tag)).toEqual(refused(KeyRefusal.EXPIRED));
    expect(await cached(expired.secret)).toBeUndefined();

    const other = await auth.createAccount();
    const suspended = await auth.createKey(other.accountId);
    await pool.query("UPDATE auth.accounts SET status = 'suspended' WHERE account_id = $1", [other.accountId]);
    expect(await auth.resolve(hashOf(suspended.secret), other.tag)).toEqual(refused(KeyRefusal.ACCOUNT_SUSPENDED));
    expect(await cache.read(other.tag, sha256Hex(suspended.secret))).toBeUndefined();
  });

  it('leaves nothing in Redis of a key that does not exist', async () => {
    const result = await auth.resolve(randomBytes(32), 'NoSuch');
    expect(result).toEqual({ $case: 'refused', value: KeyRefusal.UNKNOWN });
    expect(await redis.keys('*NoSuch*')).toEqual([]);
  });

  it('requires a complete hash and a valid tag', async () => {
    await expect(auth.resolve(randomBytes(31), account.tag)).rejects.toMatchObject({ code: 3 });
    await expect(auth.resolve(randomBytes(32), 'a}b{cd')).rejects.toMatchObject({ code: 3 });
    await expect(auth.resolve(randomBytes(32), '')).rejects.toMatchObject({ code: 3 });
  });

  it('works without Redis', async () => {
    const { secret } = await auth.createKey(account.accountId);
    const nowhere = createRedis({ url: 'redis://127.0.0.1:1', connectionName: 'test', commandTimeoutMs: 100 }, silent);
    try {
      const request = { keySha256: hashOf(secret), accountTag: account.tag };
      const { result } = await createResolveKeyHandler({ pool, cache: new KeyCache(nowhere), logger: silent })(
        request,
        context,
      );
      expect(result?.$case).toBe('active');
    } finally {
      nowhere.disconnect();
    }
  });
});

/** A cache in which something happens between the reading of the database and the writing of the record. */
class InterruptedCache extends KeyCache {
  readonly #interrupt: () => Promise<unknown>;

  constructor(client: RedisClient, interrupt: () => Promise<unknown>) {
    super(client);
    this.#interrupt = interrupt;
  }

  override async write(sha256: string, key: CachedKey, readAtMs: number): Promise<void> {
    await this.#interrupt();
    await super.write(sha256, key, readAtMs);
  }
}

describe('a record that is written late', () => {
  it('counts from before the database was read', async () => {
    const { secret } = await auth.createKey(account.accountId);
    const beganAtMs = Date.now();
    const deps = { pool, cache: new InterruptedCache(redis, () => delay(300)), logger: silent };
    await createResolveKeyHandler(deps)({ keySha256: hashOf(secret), accountTag: account.tag }, context);
    const { leftMs = 0 } = (await cached(secret)) ?? {};
    expect(leftMs).toBeGreaterThan(0);
    // The database was read 300 ms before; rounding may take one off.
    expect(leftMs).toBeLessThanOrEqual(RECORD_LIFE_MS - 299);
    expect(Date.now() + leftMs - RECORD_LIFE_MS).toBeLessThan(beganAtMs + 10_000);
  });
});

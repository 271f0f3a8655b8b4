import { newId } from '@tollgate/common/ids';
import { KeyCache, sha256Hex } from '@tollgate/common/keys/index';
import type { Pool } from '@tollgate/common/postgres/pool';
import { createRedis } from '@tollgate/common/redis/client';
import { actorWith, calledBy } from '@tollgate/common/testing/actors';
import { type KeyRecord, UpdateAccountRequest, UpdateKeyRequest } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { type AuthUnderTest, silent } from '../../testing/auth-under-test.ts';
import { RevocationHub } from '../revocations/hub.ts';
import { createUpdateAccountHandler } from './update-account.ts';
import { createUpdateKeyHandler } from './update-key.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;
let pool: Pool;
let cache: KeyCache;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth, pool, cache } = fixture);
});
afterAll(() => fixture?.stop());

async function setUp() {
  const account = await auth.createAccount();
  const { key, secret } = await auth.createKey(account.accountId, { caps: { dayNanos: 5n, totalNanos: 0n } });
  const hash = sha256Hex(secret);
  const resolve = () => auth.resolve(Buffer.from(hash, 'hex'), account.tag);
  const cached = () => cache.read(account.tag, hash);
  return { account, key, hash, resolve, cached };
}

/** The record of a key that must be active. */
async function active(resolve: () => ReturnType<AuthUnderTest['resolve']>): Promise<KeyRecord> {
  const result = await resolve();
  if (result?.$case !== 'active') throw new Error('the key is not live');
  return result.value;
}

/** A key of the cache that was not reachable. */
function withoutRedis() {
  const unreachable = createRedis({ url: 'redis://127.0.0.1:1', connectionName: 'test', commandTimeoutMs: 50 }, silent);
  const warned: string[] = [];
  const logger = silent.child({}, { level: 'silent' });
  logger.warn = (_fields: unknown, message?: string) => {
    warned.push(message ?? '');
  };
  const { databaseUrl } = fixture;
  const times = { trustMs: 1_000, pingIntervalMs: 100, pollMs: 1_000 };
  const revocations = new RevocationHub({ pool, databaseUrl, logger: silent, ...times });
  const deps = { pool, cache: new KeyCache(unreachable), revocations, logger };
  return { deps, warned, end: () => unreachable.disconnect() };
}

describe('spending caps of a key', () => {
  it('are returned with the key from its creation on', async () => {
    const { account, key, resolve, cached } = await setUp();
    const caps = { dayNanos: 5n, monthNanos: undefined, totalNanos: 0n };
    expect(key.caps).toEqual(caps);
    expect(await resolve()).toMatchObject({ value: { caps, revision: 1n } });
    expect(await cached()).toMatchObject({ key: { caps, revision: 1n, accountId: account.accountId } });
  });

  it('are replaced as a set, and the cached record is gone when the call returns', async () => {
    const { key, resolve, cached } = await setUp();
    await resolve();
    const caps = { dayNanos: undefined, monthNanos: 7n, totalNanos: undefined };
    expect((await auth.updateKey(key.keyId, { caps })).caps).toEqual(caps);
    expect(await cached()).toBeUndefined();
    const { revision, ...second } = await active(resolve);
    expect(second).toMatchObject({ caps });
    expect(revision).toBeGreaterThan(1n);
    expect((await auth.updateKey(key.keyId, { caps: {} })).caps).toBeUndefined();
    const third = await active(resolve);
    expect(third.caps).toBeUndefined();
    expect(third.revision).toBeGreaterThan(revision);
  });

  it('are refused below 0, and for keys that are unknown, of another account, or deleted', async () => {
    const { account, key } = await setUp();
    const other = await auth.createAccount();
    await expect(auth.updateKey(key.keyId, { caps: { monthNanos: -1n } })).rejects.toMatchObject({ code: 3 });
    await expect(auth.createKey(account.accountId, { caps: { dayNanos: -1n } })).rejects.toMatchObject({ code: 3 });
    await expect(auth.updateKey(newId(), { caps: {} })).rejects.toMatchObject({ code: 5 });
    await expect(auth.updateKey(key.keyId, { caps: {}, accountId: other.accountId })).rejects.toMatchObject({
      code: 5,
    });
    await auth.deleteKey(key.keyId);
    await expect(auth.updateKey(key.keyId, { caps: {}, accountId: account.accountId })).rejects.toMatchObject({
      code: 9,
    });
  });

  it('are set without Redis too, with a warning', async () => {
    const { key, resolve } = await setUp();
    const { deps, warned, end } = withoutRedis();
    const request = UpdateKeyRequest.fromPartial({ keyId: key.keyId, caps: { dayNanos: 9n } });
    const response = await createUpdateKeyHandler(deps)(request, calledBy(actorWith(), AbortSignal.timeout(10_000)));
    expect(response.key?.caps).toMatchObject({ dayNanos: 9n });
    expect(warned).toHaveLength(1);
    expect((await active(resolve)).caps).toMatchObject({ dayNanos: 9n });
    end();
  });
});

describe('the prices of an account of its own', () => {
  const rules = [
    { model: 'claude-*', markupPpm: 200_000 },
    { model: '*', markupPpm: -100_000 },
  ];

  it('are returned with its keys once the call has returned, in their order, and can be removed', async () => {
    const { account, resolve, cached } = await setUp();
    expect(await active(resolve)).toMatchObject({ priceRules: [] });
    expect((await auth.updateAccount(account.accountId, { priceRules: { rules } })).priceRules).toEqual({ rules });
    expect(await cached()).toBeUndefined();
    expect(await active(resolve)).toMatchObject({ priceRules: rules, revision: 1n });
    expect((await cached())?.key).toMatchObject({ priceRules: rules });
    await auth.updateAccount(account.accountId, { name: 'Other' });
    expect(await active(resolve)).toMatchObject({ priceRules: rules });
    await auth.updateAccount(account.accountId, { priceRules: { rules: [] } });
    expect(await active(resolve)).toMatchObject({ priceRules: [] });
  });

  it.each([
    [{ model: '', markupPpm: 0 }, 'price_rules[0].model'],
    [{ model: '*', markupPpm: -1_000_001 }, 'price_rules[0].markup_ppm'],
    [{ model: '*', markupPpm: 10_000_001 }, 'price_rules[0].markup_ppm'],
  ])('are refused out of bounds: %j', async (rule, field) => {
    const { account } = await setUp();
    const change = auth.updateAccount(account.accountId, { priceRules: { rules: [rule] } });
    await expect(change).rejects.toMatchObject({ code: 3, details: expect.stringContaining(`${field}: `) });
    const many = Array.from({ length: 51 }, () => ({ model: '*', markupPpm: 0 }));
    const tooMany = auth.updateAccount(account.accountId, { priceRules: { rules: many } });
    await expect(tooMany).rejects.toMatchObject({ code: 3, details: 'price_rules: must have at most 50 items' });
  });
});

describe('the discount of an account', () => {
  it('is returned with all its keys once the call has returned, and leaves their revisions alone', async () => {
    const { account, resolve, cached } = await setUp();
    const second = await auth.createKey(account.accountId);
    const hash = sha256Hex(second.secret);
    const gone = await auth.createKey(account.accountId);
    await resolve();
    await auth.resolve(Buffer.from(hash, 'hex'), account.tag);
    await auth.deleteKey(gone.key.keyId);
    expect((await auth.updateAccount(account.accountId, { discountPpm: 150_000 })).discountPpm).toBe(150_000);
    expect(await cached()).toBeUndefined();
    expect(await cache.read(account.tag, hash)).toBeUndefined();
    expect(await cache.read(account.tag, sha256Hex(gone.secret))).toBeUndefined();
    expect(await resolve()).toMatchObject({ value: { discountPpm: 150_000, revision: 1n } });
  });

  it('is refused above 100 percent, below 0, and for an unknown account', async () => {
    const { account } = await setUp();
    await expect(auth.updateAccount(account.accountId, { discountPpm: 1_000_001 })).rejects.toMatchObject({ code: 3 });
    await expect(auth.updateAccount(account.accountId, { discountPpm: -1 })).rejects.toMatchObject({ code: 3 });
    await expect(auth.updateAccount(newId(), { discountPpm: 1 })).rejects.toMatchObject({ code: 5 });
    expect((await auth.updateAccount(account.accountId, { discountPpm: 1_000_000 })).discountPpm).toBe(1_000_000);
  });

  it('is set without Redis too, with one warning however many keys there are', async () => {
    const { account } = await setUp();
    for (let count = 0; count < 3; count += 1) await auth.createKey(account.accountId);
    const { deps, warned, end } = withoutRedis();
    const request = UpdateAccountRequest.fromPartial({ accountId: account.accountId, discountPpm: 5 });
    const response = await createUpdateAccountHandler(deps)(
      request,
      calledBy(actorWith(), AbortSignal.timeout(10_000)),
    );
    expect(response.account?.discountPpm).toBe(5);
    expect(warned).toHaveLength(1);
    end();
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { AuthUnderTest } from '@tollgate/auth/testing/auth-under-test';
import { sha256Hex } from '@tollgate/common/keys/index';
import type { Account, ApiKey } from '@tollgate/proto/auth';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuthStores, openAuthStores } from '../../../testing/auth-stores.ts';
import { authenticateText, type Ingress, openIngress } from '../../../testing/open-ingress.ts';
import type { KeyAuthenticatorOptions } from './key-authenticator.ts';
import { RevokedKeys } from './revoked-keys.ts';

const TRUST_MS = 3_000;
const WAIT = { timeout: 30_000, interval: 5 };

let stores: AuthStores;
let auth: AuthUnderTest;
let account: Account;
const opened: Ingress[] = [];

async function open(options: Partial<KeyAuthenticatorOptions> = {}, watchAddress = auth.address): Promise<Ingress> {
  const ingress = await openIngress(
    { redisUrl: stores.redis.url, watchAddress, resolveAddress: auth.address },
    options,
  );
  opened.push(ingress);
  return ingress;
}

beforeAll(async () => {
  stores = await openAuthStores();
  auth = await stores.startAuth(TRUST_MS);
});
beforeEach(async () => {
  account = await auth.createAccount();
});
afterEach(async () => {
  for (const ingress of opened.splice(0)) await ingress.close();
});
afterAll(async () => {
  await auth?.stop();
  await stores?.close();
});

const deleted = expect.objectContaining({ kind: 'refused', reason: 'deleted' });
const expired = expect.objectContaining({ kind: 'refused', reason: 'expired' });
const suspended = expect.objectContaining({ kind: 'refused', reason: 'account_suspended' });
const limits = { requestsPerMinute: 7n };
const limited = { kind: 'active', key: { limits: { requestsPerMinute: 7 } } };
const accountLimited = { kind: 'active', key: { accountLimits: { requestsPerMinute: 7 } } };
const unlimited = { kind: 'active', key: { limits: undefined, accountLimits: undefined } };

/** A key in an ingress's memory. */
async function warmKey({ authenticator }: Ingress): Promise<{ key: ApiKey; secret: string }> {
  const made = await auth.createKey(account.accountId);
  expect(await authenticateText(authenticator, made.secret)).toMatchObject(unlimited);
  return made;
}

/** Everything in Redis of the account, and a function that restores it. */
async function dumpOf({ redis }: Ingress): Promise<() => Promise<void>> {
  const names = await redis.keys(`tollgate:{${account.tag}}:*`);
  const entries = await Promise.all(names.map(async (name) => [name, (await redis.get(name)) ?? ''] as const));
  expect(entries.length).toBeGreaterThanOrEqual(1);
  return async () => {
    await redis.flushall();
    for (const [name, value] of entries) await redis.set(name, value);
  };
}

/** Two open requests of a key: one from before a change, and one from after it that shares its call of auth. */
async function acrossChange({ authenticator, authCalls }: Ingress, secret: string, change: () => Promise<unknown>) {
  authCalls.hold();
  const before = authenticateText(authenticator, secret);
  await vi.waitFor(() => expect(authCalls.waiting).toBe(1), WAIT);
  await change();
  const after = authenticateText(authenticator, secret);
  await delay(20);
  authCalls.release();
  return [await before, await after] as const;
}

describe('a warm key', () => {
  it('needs no network', async () => {
    const ingress = await open({ revocations: { trusted: () => true, revoked: new RevokedKeys(), generation: 0 } });
    const { secret } = await warmKey(ingress);
    const before = ingress.authCalls.count;
    const read = vi.spyOn(ingress.redis, 'sendCommand');
    for (let count = 0; count < 100; count += 1) {
      expect(await authenticateText(ingress.authenticator, secret)).toMatchObject(unlimited);
    }
    expect([ingress.authCalls.count - before, read.mock.calls.length]).toEqual([0, 0]);
  });

  it('is looked up again after a minute', async () => {
    let ahead = 0;
    const revocations = { trusted: () => true, revoked: new RevokedKeys(), generation: 0 };
    const ingress = await open({ revocations, now: () => performance.now() + ahead });
    const { secret } = await warmKey(ingress);
    const read = vi.spyOn(ingress.redis, 'sendCommand');
    ahead = 59_000;
    await authenticateText(ingress.authenticator, secret);
    expect(read).not.toHaveBeenCalled();
    ahead = 60_001;
    await authenticateText(ingress.authenticator, secret);
    expect(read).toHaveBeenCalled();
  });

  it('is looked up again once the stream of changes has broken', async () => {
    const revocations = { trusted: () => true, revoked: new RevokedKeys(), generation: 0 };
    const ingress = await open({ revocations });
    const { key, secret } = await warmKey(ingress);
    // Like a database restored from a backup from before the key was created.
    await stores.pool.query('DELETE FROM auth.keys WHERE key_id = $1', [key.keyId]);
    await ingress.redis.flushall();
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject(unlimited);
    revocations.generation += 1;
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject({ kind: 'refused', reason: 'unknown' });
  });
});

describe('a change of a key', () => {
  it('holds although a record read before it is written to Redis after it', async () => {
    const ingress = await open();
    const { key, secret } = await warmKey(ingress);
    const writeLate = await dumpOf(ingress);
    await auth.updateKey(key.keyId, { limits });
    const startedBetween = await open();
    await writeLate();
    const startedAfter = await open();
    for (const { authenticator } of [ingress, startedBetween, startedAfter])
      expect(await authenticateText(authenticator, secret)).toMatchObject(limited);
  });

  it('holds on every ingress when the call has returned, even if the key is warm', async () => {
    const ingresses = await Promise.all([open(), open(), open()]);
    const { key, secret } = await warmKey(await open());
    const seen = (expected: object) =>
      Promise.all(
        ingresses.map(async ({ authenticator }) =>
          expect(await authenticateText(authenticator, secret)).toMatchObject(expected),
        ),
      );
    await seen(unlimited);
    await auth.updateKey(key.keyId, { limits });
    await seen(limited);
    await auth.updateKey(key.keyId, { limits: {}, tags: { tags: { team: 'search' } } });
    await seen({ kind: 'active', key: { limits: undefined, tags: { team: 'search' } } });
    await auth.updateAccount(account.accountId, { limits });
    await seen(accountLimited);
  });

  it('holds although the open call of auth is from before it', async () => {
    const ingress = await open();
    const { key, secret } = await auth.createKey(account.accountId);
    const results = await acrossChange(ingress, secret, () => auth.updateKey(key.keyId, { limits }));
    expect(results).toMatchObject([limited, limited]);
    // The two shared a second call, and its result is kept.
    expect(ingress.authCalls.count).toBe(2);
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject(limited);
    expect(ingress.authCalls.count).toBe(2);
  });

  it('of the account holds although the open call of auth is from before it', async () => {
    const { secret } = await auth.createKey(account.accountId);
    const change = () => auth.updateAccount(account.accountId, { limits });
    expect(await acrossChange(await open(), secret, change)).toMatchObject([accountLimited, accountLimited]);
  });

  it('of another key does not affect an open call', async () => {
    const ingress = await open();
    const { secret } = await auth.createKey(account.accountId);
    const other = await auth.createKey((await auth.createAccount()).accountId);
    const change = () => auth.updateKey(other.key.keyId, { limits });
    expect(await acrossChange(ingress, secret, change)).toMatchObject([unlimited, unlimited]);
    expect(ingress.authCalls.count).toBe(1);
  });

  it.each<[string, (key: ApiKey) => Promise<unknown>, object]>([
    ['the key', ({ keyId }) => auth.updateKey(keyId, { limits }), limited],
    ['the account', ({ accountId }) => auth.updateAccount(accountId, { limits }), accountLimited],
  ])('holds when Redis is restored from a dump from before a change of %s', async (_, change, expected) => {
    const ingress = await open();
    const { key, secret } = await warmKey(ingress);
    const restore = await dumpOf(ingress);
    await change(key);
    await restore();
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject(expected);
    await restore();
    // One that starts now receives the latest changes before it trusts Redis.
    const fresh = await open();
    expect(await authenticateText(fresh.authenticator, secret)).toMatchObject(expected);
    expect(fresh.authCalls.count).toBe(1);
  });

  it('is read from auth even if a restore has lowered the revision, and is kept', async () => {
    const ingress = await open();
    const { key, secret } = await warmKey(ingress);
    await auth.updateKey(key.keyId, { limits });
    await stores.pool.query('UPDATE auth.keys SET revision = 1 WHERE key_id = $1', [key.keyId]);
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject(limited);
    const before = ingress.authCalls.count;
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject(limited);
    expect(ingress.authCalls.count).toBe(before);
  });
});

describe('a deletion', () => {
  it('holds although the open call of auth is from before it', async () => {
    const { key, secret } = await auth.createKey(account.accountId);
    const results = await acrossChange(await open(), secret, () => auth.deleteKey(key.keyId));
    expect(results).toEqual([deleted, deleted]);
  });

  it('holds although a record read before it is written to Redis after it', async () => {
    const ingress = await open();
    const { key, secret } = await warmKey(ingress);
    const writeLate = await dumpOf(ingress);
    await auth.deleteKey(key.keyId);
    const startedBetween = await open();
    await writeLate();
    const startedAfter = await open();
    for (const { authenticator } of [ingress, startedBetween, startedAfter])
      expect(await authenticateText(authenticator, secret)).toEqual(deleted);
  });

  it('holds when a dump is restored ten minutes after it, which no ingress remembers', async () => {
    const first = await open();
    const { key, secret } = await warmKey(first);
    const restore = await dumpOf(first);
    await auth.deleteKey(key.keyId);
    await restore();
    const revocations = { trusted: () => true, revoked: new RevokedKeys(), generation: 0 };
    const ingress = await open({ revocations, wallClock: () => Date.now() + 600_000 });
    expect(await authenticateText(ingress.authenticator, secret)).toEqual(deleted);
    expect(ingress.authCalls.count).toBe(1);
  });

  it('holds when Redis is flushed after it, or a replica takes over that has missed it', async () => {
    const ingress = await open();
    const { key, secret } = await warmKey(ingress);
    const asTheReplicaHasIt = await dumpOf(ingress);
    await auth.deleteKey(key.keyId);
    for (const disturb of [() => ingress.redis.flushall(), asTheReplicaHasIt]) {
      await disturb();
      const fresh = await open();
      for (const { authenticator } of [ingress, fresh])
        expect(await authenticateText(authenticator, secret)).toEqual(deleted);
    }
  });

  it('waits for an ingress that is cut off until its trust has ended', async () => {
    const elsewhere = await stores.startAuth(TRUST_MS);
    const ingress = await open({}, elsewhere.address);
    const { key, secret } = await warmKey(ingress);
    // The stream is broken, while calls still work.
    await elsewhere.stop();
    expect(ingress.watch.trusted()).toBe(true);
    await auth.deleteKey(key.keyId);
    expect(ingress.watch.trusted()).toBe(false);
    expect(ingress.watch.revoked.has(sha256Hex(secret))).toBe(false);
    expect(await authenticateText(ingress.authenticator, secret)).toEqual(deleted);
  });

  it('is received from another replica of auth that takes over the stream', async () => {
    const first = await stores.startAuth(TRUST_MS);
    const address = first.address;
    const ingress = await open({}, address);
    const { key, secret } = await warmKey(ingress);
    await first.stop();
    await auth.deleteKey(key.keyId);
    const second = await AuthUnderTest.start({
      DATABASE_URL: stores.database.url,
      REDIS_URL: stores.redis.url,
      TRUST_MS: String(TRUST_MS),
      GRPC_PORT: address.split(':')[1] ?? '',
    });
    try {
      await vi.waitFor(() => expect(ingress.watch.trusted()).toBe(true), WAIT);
      const before = ingress.authCalls.count;
      expect(await authenticateText(ingress.authenticator, secret)).toEqual(deleted);
      expect(ingress.authCalls.count).toBe(before);
    } finally {
      await second.stop();
    }
  });
});

describe('a rotation', () => {
  it('ends a warm value at once without an overlap, else when its overlap ends', async () => {
    let ahead = 0;
    const ingress = await open({ wallClock: () => Date.now() + ahead });
    const { authenticator } = ingress;
    const { key, secret } = await warmKey(ingress);
    const second = await auth.rotateKey(key.keyId, 60_000);
    expect((await authenticateText(authenticator, secret)).kind).toBe('active');
    expect((await authenticateText(authenticator, second.secret)).kind).toBe('active');
    ahead = 60_001;
    expect(await authenticateText(authenticator, secret)).toEqual(expired);
    expect((await authenticateText(authenticator, second.secret)).kind).toBe('active');
    ahead = 0;
    const third = await auth.rotateKey(key.keyId, 0);
    for (const dead of [secret, second.secret]) expect(await authenticateText(authenticator, dead)).toEqual(deleted);
    expect((await authenticateText(authenticator, third.secret)).kind).toBe('active');
    await auth.deleteKey(key.keyId);
    expect(await authenticateText(authenticator, third.secret)).toEqual(deleted);
  });
});

describe('a refusal', () => {
  it('of a suspended account is over on every ingress when it is resumed', async () => {
    const ingresses = await Promise.all([open(), open()]);
    const { secret } = await auth.createKey(account.accountId);
    for (let round = 0; round < 3; round += 1) {
      await auth.suspend(account.accountId, 'unpaid');
      for (const { authenticator } of ingresses)
        expect(await authenticateText(authenticator, secret)).toEqual(suspended);
      await auth.resume(account.accountId);
      for (const { authenticator } of ingresses)
        expect(await authenticateText(authenticator, secret)).toMatchObject(unlimited);
    }
  });

  it('from an open call that began before is requested again', async () => {
    const { secret } = await auth.createKey(account.accountId);
    await auth.suspend(account.accountId, 'unpaid');
    const results = await acrossChange(await open(), secret, () => auth.resume(account.accountId));
    expect(results).toMatchObject([unlimited, unlimited]);
  });

  it('of an expired key ends when its expiry is extended, and is not requested again before', async () => {
    const ingress = await open();
    const { key, secret } = await auth.createKey(account.accountId);
    await stores.pool.query("UPDATE auth.keys SET expires_at = now() - interval '1 s' WHERE key_id = $1", [key.keyId]);
    for (let count = 0; count < 5; count += 1)
      expect(await authenticateText(ingress.authenticator, secret)).toEqual(expired);
    expect(ingress.authCalls.count).toBe(1);
    await auth.updateKey(key.keyId, { expiresAtMs: BigInt(Date.now() + 60_000) });
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject({ kind: 'active' });
  });

  it('of a suspended account is not used by an ingress that would not receive its end', async () => {
    let trusted = true;
    const revocations = { trusted: () => trusted, revoked: new RevokedKeys(), generation: 0 };
    const ingress = await open({ revocations });
    const { secret } = await auth.createKey(account.accountId);
    await auth.suspend(account.accountId, 'unpaid');
    expect(await authenticateText(ingress.authenticator, secret)).toEqual(suspended);
    await auth.resume(account.accountId);
    trusted = false;
    expect(await authenticateText(ingress.authenticator, secret)).toMatchObject(unlimited);
  });
});

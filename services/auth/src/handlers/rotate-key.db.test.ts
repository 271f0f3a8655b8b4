import { newId } from '@tollgate/common/ids';
import { type KeyCache, sha256Hex } from '@tollgate/common/keys/index';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type Account, KeyRefusal } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import type { AuthUnderTest } from '../../testing/auth-under-test.ts';

const HOUR_MS = 3_600_000;

let fixture: AuthFixture;
let auth: AuthUnderTest;
let pool: Pool;
let cache: KeyCache;
let account: Account;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth, pool, cache } = fixture);
  account = await auth.createAccount();
});
afterAll(() => fixture?.stop());

const resolve = (secret: string) => auth.resolve(Buffer.from(sha256Hex(secret), 'hex'), account.tag);
const cached = (secret: string) => cache.read(account.tag, sha256Hex(secret));
const unknown = { $case: 'refused', value: KeyRefusal.UNKNOWN };
const expired = { $case: 'refused', value: KeyRefusal.EXPIRED };

/** When the record of a value ends; 0: never. */
async function endOf(secret: string): Promise<number> {
  const result = await resolve(secret);
  if (result?.$case !== 'active') throw new Error('the value is not good');
  return Number(result.value.expiresAtMs);
}

describe('rotating a key', () => {
  it('gives another value under the same id, and the one before is good until its overlap ends', async () => {
    const { key, secret } = await auth.createKey(account.accountId, { name: 'CI', tags: { team: 'search' } });
    await resolve(secret);
    const before = Date.now();
    const rotated = await auth.rotateKey(key.keyId, HOUR_MS);
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.secret.startsWith(`sk-tollgate-${account.tag}`)).toBe(true);
    expect(rotated.key).toMatchObject({ keyId: key.keyId, name: 'CI', lastFour: rotated.secret.slice(-4) });
    const until = Number(rotated.key.previousValueUntilMs);
    expect(until).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(until).toBeLessThanOrEqual(Date.now() + HOUR_MS);

    expect(await cached(secret)).toBeUndefined();
    expect(await endOf(secret)).toBe(until);
    expect(await endOf(rotated.secret)).toBe(0);
    expect(await cached(secret)).toMatchObject({ key: { keyId: key.keyId, expiresAtMs: until } });
    expect(await resolve(rotated.secret)).toMatchObject({ value: { keyId: key.keyId, tags: { team: 'search' } } });
    await pool.query("UPDATE auth.keys SET previous_until = now() - interval '1 ms' WHERE key_id = $1", [key.keyId]);
    expect(await resolve(secret)).toEqual(expired);
  });

  it('ends the value before with the key where that is sooner', async () => {
    const expiresAtMs = BigInt(Date.now() + HOUR_MS / 2);
    const { key, secret } = await auth.createKey(account.accountId, { expiresAtMs });
    const rotated = await auth.rotateKey(key.keyId, HOUR_MS);
    expect(await endOf(secret)).toBe(Number(expiresAtMs));
    expect(await endOf(rotated.secret)).toBe(Number(expiresAtMs));
  });

  it('without an overlap leaves one value, and removes the record of the other', async () => {
    const { key, secret } = await auth.createKey(account.accountId);
    const rotated = await auth.rotateKey(key.keyId, 0);
    expect(rotated.key.previousValueUntilMs).toBe(0n);
    expect(await cached(secret)).toBeUndefined();
    expect(await resolve(secret)).toEqual(unknown);
    expect(await endOf(rotated.secret)).toBe(0);
  });

  it('a second time within the overlap kills the oldest value', async () => {
    const { key, secret } = await auth.createKey(account.accountId);
    const second = await auth.rotateKey(key.keyId, HOUR_MS);
    const third = await auth.rotateKey(key.keyId, HOUR_MS);
    expect(await cached(secret)).toBeUndefined();
    expect(await resolve(secret)).toEqual(unknown);
    expect(await endOf(second.secret)).toBe(Number(third.key.previousValueUntilMs));
    expect(await endOf(third.secret)).toBe(0);
  });

  it('made again with its idempotency key replaces the lost value, and not the one in use', async () => {
    const { key, secret } = await auth.createKey(account.accountId);
    const idempotencyKey = newId();
    const lost = await auth.rotateKey(key.keyId, HOUR_MS, { idempotencyKey });
    const again = await auth.rotateKey(key.keyId, HOUR_MS, { idempotencyKey });
    expect(again.key.previousValueUntilMs).toBe(lost.key.previousValueUntilMs);
    expect(await endOf(secret)).toBe(Number(lost.key.previousValueUntilMs));
    expect(await cached(lost.secret)).toBeUndefined();
    expect(await resolve(lost.secret)).toEqual(unknown);
    expect(await endOf(again.secret)).toBe(0);
    // With another key it is another rotation.
    const next = await auth.rotateKey(key.keyId, HOUR_MS, { idempotencyKey: newId() });
    expect(await resolve(secret)).toEqual(unknown);
    expect(await endOf(again.secret)).toBe(Number(next.key.previousValueUntilMs));
  });

  it('leaves all values dead once the key is deleted', async () => {
    const { key, secret } = await auth.createKey(account.accountId);
    const { secret: second } = await auth.rotateKey(key.keyId, HOUR_MS);
    const deleted = await auth.deleteKey(key.keyId);
    expect(deleted.previousValueUntilMs).toBe(0n);
    for (const value of [secret, second]) {
      expect(await cached(value)).toBeUndefined();
      expect(await resolve(value)).toEqual({ $case: 'refused', value: KeyRefusal.DELETED });
    }
  });

  it('at the same time leaves two good values, and every other one dead', async () => {
    const { key } = await auth.createKey(account.accountId);
    const rotated = await Promise.all(Array.from({ length: 5 }, () => auth.rotateKey(key.keyId, HOUR_MS)));
    const results = await Promise.all(rotated.map(({ secret }) => resolve(secret)));
    expect(results.filter((result) => result?.$case === 'active')).toHaveLength(2);
    expect(results.filter((result) => result?.$case === 'refused')).toEqual([unknown, unknown, unknown]);
  });

  it('is refused for too long an overlap, and for keys that are unknown, of another account, or deleted', async () => {
    const { key } = await auth.createKey(account.accountId);
    const other = await auth.createAccount();
    const details = 'overlap_ms: must be 0 to 2592000000';
    await expect(auth.rotateKey(key.keyId, 30 * 24 * HOUR_MS + 1)).rejects.toMatchObject({ code: 3, details });
    await expect(auth.rotateKey(key.keyId, -1)).rejects.toMatchObject({ code: 3, details });
    await expect(auth.rotateKey(newId(), 0)).rejects.toMatchObject({ code: 5 });
    await expect(auth.rotateKey(key.keyId, 0, { accountId: other.accountId })).rejects.toMatchObject({ code: 5 });
    await auth.deleteKey(key.keyId);
    await expect(auth.rotateKey(key.keyId, 0)).rejects.toMatchObject({ code: 9 });
  });
});

import { newId } from '@tollgate/common/ids';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { type DatabaseClock, shiftableClock } from '@tollgate/test-support/stores/database-clock';
import { type FreshDatabase, freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuthUnderTest, migrateAuth, ScriptedWatcher, silent } from '../../testing/auth-under-test.ts';
import { insertRevocation, removeRevocations } from '../store/revocations.ts';
import { listWatchers, recordHeartbeat, removeSilentWatchers } from '../store/watchers.ts';

const TRUST_MS = 700;
const LONG_TRUST_MS = 2_000;
const HOUR_MS = 3_600_000;
const WAIT = { timeout: 30_000, interval: 5 };

let database: FreshDatabase;
let clock: DatabaseClock;
let auth: AuthUnderTest;
let trusting: AuthUnderTest;
let pool: Pool;
let accountId: string;
const watchers: ScriptedWatcher[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  clock = await shiftableClock(database.url);
  await migrateAuth(database.url);
  const settings = { DATABASE_URL: database.url, REDIS_URL: redisUrl() };
  auth = await AuthUnderTest.start({ ...settings, TRUST_MS: String(TRUST_MS) });
  trusting = await AuthUnderTest.start({ ...settings, TRUST_MS: String(LONG_TRUST_MS) });
  pool = createPool({ url: database.url, size: 2, applicationName: 'test' }, silent);
  accountId = (await auth.createAccount()).accountId;
});
afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.cancel();
  await clock.shift(0);
  await pool.query('DELETE FROM auth.watchers');
});
afterAll(async () => {
  await pool?.end();
  await Promise.all([auth?.stop(), trusting?.stop()]);
  await database?.drop();
});

/** An ingress that is cut off after one confirmed ping. @returns when it sent its last ping */
async function cutOff(at: AuthUnderTest, watcherId: string = newId()): Promise<number> {
  const watcher = new ScriptedWatcher(at.client, watcherId);
  watchers.push(watcher);
  const sentAtMs = performance.now();
  const ping = watcher.ping(0n);
  await vi.waitFor(() => expect(watcher.isConfirmed(ping)).toBe(true), WAIT);
  return sentAtMs;
}

/** Deletes a new key. @returns when the call had returned */
async function deleteOne(): Promise<number> {
  const { key } = await auth.createKey(accountId);
  await auth.deleteKey(key.keyId);
  return performance.now();
}

describe('an ingress that is cut off', () => {
  it.each([
    ['6 seconds ahead', 6_000],
    ['an hour ahead', HOUR_MS],
    ['an hour back', -HOUR_MS],
  ])('is waited for until its trust has ended although the clock of the database goes %s', async (_, ms) => {
    const sentAtMs = await cutOff(auth);
    await clock.shift(ms);
    expect((await deleteOne()) - sentAtMs).toBeGreaterThan(TRUST_MS);
  });

  it('is waited for by an auth that started after it was last heard', async () => {
    const sentAtMs = await cutOff(auth);
    const { key } = await auth.createKey(accountId);
    await clock.shift(HOUR_MS);
    const restarted = await AuthUnderTest.start({
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl(),
      TRUST_MS: String(TRUST_MS),
    });
    try {
      await restarted.deleteKey(key.keyId);
      expect(performance.now() - sentAtMs).toBeGreaterThan(TRUST_MS);
    } finally {
      await restarted.stop();
    }
  });
});

describe('while TRUST_MS changes from replica to replica', () => {
  it('an ingress is waited for as long as the auth it was connected to lets it trust', async () => {
    const sentAtMs = await cutOff(trusting);
    expect((await deleteOne()) - sentAtMs).toBeGreaterThan(LONG_TRUST_MS);
  });

  it('so is one that moves to an auth with a shorter time, whose response it may not have', async () => {
    const watcherId = newId();
    const sentAtMs = await cutOff(trusting, watcherId);
    await cutOff(auth, watcherId);
    expect((await deleteOne()) - sentAtMs).toBeGreaterThan(LONG_TRUST_MS);
  });
});

describe('cleaning up', () => {
  it('leaves a watcher that has been heard again since it was read', async () => {
    const [silent, heard] = [newId(), newId()];
    const beat = (watcherId: string) =>
      recordHeartbeat(pool, { watcherId, appliedSequence: 0n, trustMs: TRUST_MS, ingressName: '' });
    await Promise.all([beat(silent), beat(heard)]);
    const read = await listWatchers(pool);
    await beat(heard);
    await removeSilentWatchers(pool, read);
    expect((await listWatchers(pool)).map((row) => row.watcher_id)).toEqual([heard]);
  });

  it('leaves revocations that are young by the clock of the database or by their number', async () => {
    const sequences: bigint[] = [];
    for (const ms of [-HOUR_MS, -HOUR_MS, 0]) {
      await clock.shift(ms);
      const what = { kind: 'value', keyId: newId(), sha256: Buffer.alloc(32, sequences.length) } as const;
      sequences.push(await insertRevocation(pool, what));
    }
    const [old, numbered = 0n, young = 0n] = sequences;
    const left = async () => {
      const { rows } = await pool.query<{ sequence: bigint }>(
        'SELECT sequence FROM auth.revocations WHERE sequence = ANY($1) ORDER BY sequence',
        [sequences],
      );
      return rows.map((row) => row.sequence);
    };
    await removeRevocations(pool, numbered - 1n, HOUR_MS / 2);
    expect(await left()).toEqual([numbered, young]);
    await removeRevocations(pool, young, HOUR_MS / 2);
    expect(await left()).toEqual([young]);
    expect(old).toBeLessThan(numbered);
  });
});

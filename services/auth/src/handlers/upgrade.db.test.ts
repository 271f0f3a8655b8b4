import { newId } from '@tollgate/common/ids';
import { sha256Hex } from '@tollgate/common/keys/index';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { ChangesVersion } from '@tollgate/proto/auth';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuthUnderTest, ScriptedWatcher, silent } from '../../testing/auth-under-test.ts';

const WAIT = { timeout: 30_000, interval: 5 };
const FAILED_PRECONDITION = 9;

let database: FreshDatabase;
let auth: AuthUnderTest;
let pool: Pool;
const watchers: ScriptedWatcher[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  auth = await AuthUnderTest.start({ DATABASE_URL: database.url, REDIS_URL: redisUrl(), TRUST_MS: '60000' });
  pool = createPool({ url: database.url, size: 2, applicationName: 'test' }, silent);
});
afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.cancel();
  await pool.query('DELETE FROM auth.watchers');
});
afterAll(async () => {
  await pool?.end();
  await auth?.stop();
  await database?.drop();
});

async function watch(version: ChangesVersion): Promise<ScriptedWatcher> {
  const watcher = new ScriptedWatcher(auth.client, newId(), { version });
  watchers.push(watcher);
  await pinged(watcher, 0n);
  return watcher;
}

async function pinged(watcher: ScriptedWatcher, applied: bigint): Promise<void> {
  const ping = watcher.ping(applied);
  await vi.waitFor(() => expect(watcher.answered(ping)).toBe(true), WAIT);
}

async function leave(watcher: ScriptedWatcher): Promise<void> {
  watcher.ping(watcher.lastSequence, true);
  watcher.end();
  await vi.waitFor(() => expect(watcher.ended).toBe(true), WAIT);
}

async function target() {
  const { accountId } = await auth.createAccount();
  const { key, secret } = await auth.createKey(accountId);
  return { accountId, keyId: key.keyId, secret };
}

/** The database rows of an account and its keys, and the last sequence number. */
async function stateOf(accountId: string): Promise<unknown> {
  const { rows } = await pool.query(
    `SELECT a.*, (SELECT jsonb_agg(k ORDER BY key_id) FROM auth.keys k WHERE k.account_id = a.account_id) AS keys,
            (SELECT sequence FROM auth.revocation_clock) AS sequence
     FROM auth.accounts a WHERE account_id = $1`,
    [accountId],
  );
  return rows[0];
}

const changes: [string, (of: { accountId: string; keyId: string }) => Promise<unknown>][] = [
  ['a change of a key', ({ keyId }) => auth.updateKey(keyId, { name: 'another' })],
  ['a rotation', ({ keyId }) => auth.rotateKey(keyId, 60_000)],
  ['a change of an account', ({ accountId }) => auth.updateAccount(accountId, { name: 'another' })],
  ['a suspension', ({ accountId }) => auth.suspend(accountId, 'unpaid')],
  ['a new key with limits', ({ accountId }) => auth.createKey(accountId, { limits: { ...LIMITS, openRequests: 1 } })],
  ['a new key with tags', ({ accountId }) => auth.createKey(accountId, { tags: { team: 'search' } })],
];
const LIMITS = { requestsPerMinute: undefined, tokensPerMinute: undefined };

describe('while an ingress is live that does not follow every change', () => {
  it.each(changes)('%s is refused and changes nothing, and succeeds once that has left', async (_, change) => {
    const of = await target();
    const earlier = await watch(ChangesVersion.UNSPECIFIED);
    const state = await stateOf(of.accountId);
    await expect(change(of)).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    expect(await stateOf(of.accountId)).toEqual(state);
    await leave(earlier);
    await change(of);
    expect(await stateOf(of.accountId)).not.toEqual(state);
  });

  it('keys are created, and a deletion returns when it has confirmed', async () => {
    const earlier = await watch(ChangesVersion.UNSPECIFIED);
    const { keyId, secret } = await target();
    const seen = earlier.lastSequence;
    const deletion = auth.deleteKey(keyId);
    await vi.waitFor(() => expect(earlier.lastSequence).toBeGreaterThan(seen), WAIT);
    expect(earlier.deadValues.at(-1)?.toString('hex')).toBe(sha256Hex(secret));
    earlier.ping(earlier.lastSequence);
    await deletion;
  });

  it('its confirmation of a change that was made before it connected does not count', async () => {
    const { accountId } = await target();
    const current = await watch(ChangesVersion.REVISIONS);
    const seen = current.lastSequence;
    const suspension = expect(auth.suspend(accountId, 'unpaid', 1_000)).rejects.toMatchObject({ code: 4 });
    await vi.waitFor(() => expect(current.lastSequence).toBeGreaterThan(seen), WAIT);
    const earlier = await watch(ChangesVersion.UNSPECIFIED);
    for (const watcher of [earlier, current]) await pinged(watcher, watcher.lastSequence);
    await suspension;
    await leave(earlier);
    await auth.suspend(accountId, 'unpaid');
  });
});

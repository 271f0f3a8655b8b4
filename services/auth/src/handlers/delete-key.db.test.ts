import { newId } from '@tollgate/common/ids';
import { createPool, inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { KeyStatus } from '@tollgate/proto/auth';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuthUnderTest, ScriptedWatcher, silent } from '../../testing/auth-under-test.ts';
import { insertRevocation } from '../store/revocations.ts';

const TRUST_MS = 3_000;

let database: FreshDatabase;
let auth: AuthUnderTest;
let replica: AuthUnderTest;
let withoutRedis: AuthUnderTest;
let pool: Pool;
let accountId: string;
let watchers: ScriptedWatcher[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  const settings = { DATABASE_URL: database.url, TRUST_MS: String(TRUST_MS) };
  auth = await AuthUnderTest.start({ ...settings, REDIS_URL: redisUrl() });
  replica = await AuthUnderTest.start({ ...settings, REDIS_URL: redisUrl() });
  withoutRedis = await AuthUnderTest.start({ ...settings, REDIS_URL: 'redis://127.0.0.1:1', REDIS_TIMEOUT_MS: '100' });
  pool = createPool({ url: database.url, size: 3, applicationName: 'test' }, silent);
  accountId = (await auth.createAccount()).accountId;
});
afterEach(async () => {
  for (const watcher of watchers) watcher.cancel();
  watchers = [];
  await pool.query('DELETE FROM auth.watchers');
});
afterAll(async () => {
  await pool?.end();
  await Promise.all([auth?.stop(), replica?.stop(), withoutRedis?.stop()]);
  await database?.drop();
});

/** A watcher whose first ping has been confirmed. */
async function watch(at: AuthUnderTest, applied = 0n, watcherId: string = newId()): Promise<ScriptedWatcher> {
  const watcher = new ScriptedWatcher(at.client, watcherId);
  watchers.push(watcher);
  const ping = watcher.ping(applied);
  await vi.waitFor(() => expect(watcher.isConfirmed(ping)).toBe(true), WAIT);
  return watcher;
}

/** Begins a deletion and says whether it has returned. */
function beginDelete(at: AuthUnderTest, keyId: string, deadlineMs = 20_000) {
  const state = { returned: false, result: at.deleteKey(keyId, { deadlineMs }) };
  const note = () => {
    state.returned = true;
  };
  state.result.then(note, note);
  return state;
}

const WAIT = { timeout: 30_000, interval: 5 };
const receives = (watcher: ScriptedWatcher, after: bigint) =>
  vi.waitFor(() => expect(watcher.lastSequence).toBeGreaterThan(after), WAIT);

describe('deleting a key', () => {
  it('returns at once without watchers, and says when it was deleted', async () => {
    const { key } = await auth.createKey(accountId);
    const deleted = await auth.deleteKey(key.keyId, { accountId });
    expect(deleted.status).toBe(KeyStatus.DELETED);
    expect(deleted.deletedAtMs).toBeGreaterThan(0n);
    expect(await auth.deleteKey(key.keyId)).toEqual(deleted);
  });

  it('of another account, or that is not there, is NOT_FOUND and deletes nothing', async () => {
    const { key } = await auth.createKey(accountId);
    await expect(auth.deleteKey(key.keyId, { accountId: newId() })).rejects.toMatchObject({ code: 5 });
    await expect(auth.deleteKey(newId())).rejects.toMatchObject({ code: 5 });
    const { rows } = await pool.query('SELECT deleted_at FROM auth.keys WHERE key_id = $1', [key.keyId]);
    expect(rows[0].deleted_at).toBeNull();
  });

  it('returns when every watcher has confirmed, whichever replica it is connected to', async () => {
    const near = await watch(auth);
    const far = await watch(replica);
    const before = [near.lastSequence, far.lastSequence] as const;
    const { key } = await auth.createKey(accountId);
    const deletion = beginDelete(auth, key.keyId);
    await receives(near, before[0]);
    await receives(far, before[1]);
    near.ping(near.lastSequence);
    const confirmed = near.ping(near.lastSequence);
    await vi.waitFor(() => expect(near.isConfirmed(confirmed)).toBe(true), WAIT);
    expect(deletion.returned).toBe(false);
    far.ping(far.lastSequence);
    expect((await deletion.result).status).toBe(KeyStatus.DELETED);
  });

  it('reaches a watcher at another replica by a notification, without waiting for the next poll', async () => {
    const far = await watch(replica);
    const deletions = 20;
    const startedAt = performance.now();
    for (let deleted = 0; deleted < deletions; deleted += 1) {
      const before = far.lastSequence;
      const { key } = await auth.createKey(accountId);
      const deletion = beginDelete(auth, key.keyId);
      // Without a ping until then, which would fetch the change itself.
      await receives(far, before);
      far.ping(far.lastSequence);
      await deletion.result;
    }
    // By polls alone, a deletion would take half a second on average.
    expect(performance.now() - startedAt).toBeLessThan((deletions * 1_000) / 4);
  });

  it('reaches a watcher at another replica that has lost its listening connection', async () => {
    const far = await watch(replica);
    const before = far.lastSequence;
    const { key } = await auth.createKey(accountId);
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'tollgate-auth-revocations' AND datname = current_database()`,
    );
    expect(rowCount).toBe(3);
    const deletion = beginDelete(auth, key.keyId);
    await receives(far, before);
    far.ping(far.lastSequence);
    expect((await deletion.result).status).toBe(KeyStatus.DELETED);
  });

  it('waits for one that is cut off until its trust has ended', async () => {
    const live = await watch(auth);
    const cut = await watch(replica);
    const { rows: began } = await pool.query('SELECT heartbeat_at FROM auth.watchers WHERE watcher_id = $1', [
      cut.watcherId,
    ]);
    const before = live.lastSequence;
    const { key } = await auth.createKey(accountId);
    const deletion = beginDelete(auth, key.keyId);
    await receives(live, before);
    const alive = setInterval(() => live.ping(live.lastSequence), 100);
    try {
      await deletion.result;
    } finally {
      clearInterval(alive);
    }
    const { rows: ended } = await pool.query(
      'SELECT extract(epoch FROM clock_timestamp() - $1::timestamptz)::float8 * 1000 AS ms',
      [began[0].heartbeat_at],
    );
    expect(ended[0].ms).toBeGreaterThanOrEqual(TRUST_MS);
    expect(ended[0].ms).toBeLessThan(TRUST_MS * 3);
  });

  it('does not return while a live watcher withholds its confirmation, and can be called again', async () => {
    const stubborn = await watch(auth);
    const { key } = await auth.createKey(accountId);
    const applied = stubborn.lastSequence;
    const pings = setInterval(() => stubborn.ping(applied), 100);
    try {
      await expect(auth.deleteKey(key.keyId, { deadlineMs: TRUST_MS * 2 })).rejects.toMatchObject({ code: 4 });
    } finally {
      clearInterval(pings);
    }
    const again = beginDelete(replica, key.keyId);
    stubborn.ping(stubborn.lastSequence);
    expect((await again.result).status).toBe(KeyStatus.DELETED);
  });

  it('does not wait for one that is leaving', async () => {
    const leaving = await watch(auth);
    // The goodbye counts even while the ping before it is still being recorded.
    leaving.ping(0n);
    leaving.ping(0n, true);
    leaving.end();
    await vi.waitFor(() => expect(leaving.ended).toBe(true), WAIT);
    const { rows } = await pool.query('SELECT 1 FROM auth.watchers WHERE watcher_id = $1', [leaving.watcherId]);
    expect(rows).toEqual([]);
  });

  it('is neither refused nor less safe while Redis is out of reach', async () => {
    const watcher = await watch(auth);
    const before = watcher.lastSequence;
    const { key } = await auth.createKey(accountId);
    const deletion = beginDelete(withoutRedis, key.keyId);
    await receives(watcher, before);
    expect(deletion.returned).toBe(false);
    watcher.ping(watcher.lastSequence);
    expect((await deletion.result).status).toBe(KeyStatus.DELETED);
  });

  it('many at once, on two replicas, reach a watcher in order and none is missed', async () => {
    const watcher = await watch(auth);
    const keys = await Promise.all(Array.from({ length: 20 }, () => auth.createKey(accountId)));
    const confirming = setInterval(() => watcher.ping(watcher.lastSequence), 20);
    try {
      await Promise.all(keys.map(({ key }, index) => (index % 2 === 0 ? auth : replica).deleteKey(key.keyId)));
    } finally {
      clearInterval(confirming);
    }
    const sequences = watcher.revocations.map((revocation) => revocation.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set(sequences).size).toBe(sequences.length);
    const { rows } = await pool.query('SELECT key_sha256 FROM auth.keys WHERE key_id = ANY($1)', [
      keys.map(({ key }) => key.keyId),
    ]);
    const seen = new Set(watcher.deadValues.map((sha256) => sha256.toString('hex')));
    for (const row of rows) expect(seen).toContain(row.key_sha256.toString('hex'));
  });
});

describe('watching revocations', () => {
  it('begins again where the watcher left off, with what it missed', async () => {
    const first = await watch(auth);
    const applied = first.lastSequence;
    first.cancel();
    const { key } = await auth.createKey(accountId);
    await auth.deleteKey(key.keyId);
    const second = new ScriptedWatcher(replica.client, first.watcherId, { firstPing: 100n });
    watchers.push(second);
    const ping = second.ping(applied);
    await vi.waitFor(() => expect(second.isConfirmed(ping)).toBe(true), WAIT);
    const { rows } = await pool.query('SELECT key_sha256 FROM auth.keys WHERE key_id = $1', [key.keyId]);
    expect(second.deadValues).toEqual([rows[0].key_sha256]);
  });

  it('gives no number before a smaller one is committed', async () => {
    const watcher = await watch(auth);
    const before = watcher.lastSequence;
    const { key: slow } = await auth.createKey(accountId);
    const { key: fast } = await auth.createKey(accountId);
    let fastDone = Promise.resolve();
    const slowSequence = await inTransaction(pool, async (client) => {
      const sequence = await insertRevocation(client, {
        kind: 'value',
        keyId: slow.keyId,
        sha256: Buffer.alloc(32, 1),
      });
      fastDone = auth.deleteKey(fast.keyId).then(() => undefined);
      await vi.waitFor(async () => {
        const { rows } = await pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(rows).toHaveLength(1);
      }, WAIT);
      const ping = watcher.ping(before);
      await vi.waitFor(() => expect(watcher.isConfirmed(ping)).toBe(true), WAIT);
      expect(watcher.lastSequence).toBe(before);
      return sequence;
    });
    await vi.waitFor(
      () => expect(watcher.revocations.filter((revocation) => revocation.sequence > before)).toHaveLength(2),
      WAIT,
    );
    expect(watcher.revocations.find((revocation) => revocation.sequence > before)?.sequence).toBe(slowSequence);
    watcher.ping(watcher.lastSequence);
    await fastDone;
  });

  it('has recorded a ping before it reads what has been revoked', async () => {
    const watcher = new ScriptedWatcher(auth.client, newId());
    watchers.push(watcher);
    const ping = await inTransaction(pool, async (client) => {
      // Nothing can be read until this is over.
      await client.query('LOCK TABLE auth.revocations IN ACCESS EXCLUSIVE MODE');
      const sent = watcher.ping(0n);
      await vi.waitFor(async () => {
        const { rows } = await pool.query('SELECT FROM auth.watchers WHERE watcher_id = $1', [watcher.watcherId]);
        expect(rows).toHaveLength(1);
      }, WAIT);
      expect(watcher.isConfirmed(sent)).toBe(false);
      return sent;
    });
    await vi.waitFor(() => expect(watcher.isConfirmed(ping)).toBe(true), WAIT);
  });

  it('confirms a ping only after everything before it, however much that is', async () => {
    const { rows } = await pool.query(
      `UPDATE auth.revocation_clock SET sequence = sequence + 10000 RETURNING sequence - 10000 AS before`,
    );
    const before: bigint = rows[0].before;
    await pool.query(
      `INSERT INTO auth.revocations (sequence, key_id, key_sha256, revoked_at)
       SELECT $1::bigint + n, gen_random_uuid(), sha256(n::text::bytea), now() FROM generate_series(1, 2500) n`,
      [before],
    );
    const watcher = await watch(auth, before);
    expect(watcher.revocations).toHaveLength(2_500);
    expect(watcher.messages.at(-1)?.ping).toBe(1n);
  });

  it('refuses what cannot be a watcher', async () => {
    const watcher = new ScriptedWatcher(auth.client, 'not a uuid');
    watcher.ping(0n);
    await vi.waitFor(() => expect(watcher.ended).toBe(true), WAIT);
  });
});

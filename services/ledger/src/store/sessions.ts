import { timeOfId } from '@tollgate/common/ids';
import { DATABASE_TIME_MS } from '@tollgate/common/postgres/database-time';
import { inTransaction, type Pool, type PoolClient, type Queryable } from '@tollgate/common/postgres/pool';
import { DATABASE_ID } from './meta.ts';

export interface OpenedSession {
  epoch: bigint;
  databaseId: string;
  /** The database's clock, Unix milliseconds. */
  databaseTimeMs: bigint;
}

/**
 * Opens a session, or resumes an open one, which counts as a heartbeat. Undefined when it has ended or is of an older epoch:
 * it cannot come back. An unknown session is of an older epoch if its id, a UUIDv7, was generated before the epoch was
 * raised.
 */
export async function openSession(
  db: Queryable,
  sessionId: string,
  ingressName: string,
): Promise<OpenedSession | undefined> {
  const { rows } = await db.query<{ epoch: bigint; database_id: string; database_time_ms: bigint }>({
    name: 'open-session',
    text: `
      INSERT INTO ledger.sessions AS s (session_id, ingress_name, epoch, state)
      SELECT $1, $2, epoch, 'open' FROM ledger.meta WHERE coalesce($3, epoch_since_ms) >= epoch_since_ms
      ON CONFLICT (session_id) DO UPDATE SET last_heartbeat_at = clock_timestamp()
        WHERE s.state = 'open' AND s.epoch = excluded.epoch
      RETURNING epoch, ${DATABASE_ID} AS database_id, ${DATABASE_TIME_MS} AS database_time_ms`,
    values: [sessionId, ingressName, isUuidV7(sessionId) ? timeOfId(sessionId) : null],
  });
  const row = rows[0];
  return row && { epoch: row.epoch, databaseId: row.database_id, databaseTimeMs: row.database_time_ms };
}

function isUuidV7(id: string): boolean {
  return id[14] === '7';
}

/** What an ingress still has to settle, as it reports. */
export interface UnsettledCharges {
  charges: bigint;
  /** The age of the oldest, milliseconds. */
  oldestMs: bigint;
}

export interface RecordedHeartbeat {
  /** The identity of the database. */
  databaseId: string;
  /** Its clock, Unix milliseconds. */
  databaseTimeMs: bigint;
}

/**
 * Records a session's heartbeat by the database's clock, the amounts its requests hold, and what it still has to settle. A
 * report older than the last recorded one changes none of these.
 *
 * @param held nano-dollars by account; accounts without a lease are ignored
 * @returns undefined when the session may not be used
 */
export async function recordHeartbeat(
  db: Queryable,
  sessionId: string,
  sequence: bigint,
  held: ReadonlyMap<string, bigint>,
  unsettled: UnsettledCharges,
): Promise<RecordedHeartbeat | undefined> {
  const { rows } = await db.query<{ database_id: string; database_time_ms: bigint }>({
    name: 'record-heartbeat',
    text: `
      WITH previous AS (
        SELECT session_id, heartbeat_sequence FROM ledger.sessions
        WHERE session_id = $1 AND state = 'open' AND epoch = (SELECT epoch FROM ledger.meta)
        FOR NO KEY UPDATE
      ), beat AS (
        UPDATE ledger.sessions s
        SET last_heartbeat_at = clock_timestamp(), heartbeat_sequence = greatest(s.heartbeat_sequence, $2),
            unsettled_charges = CASE WHEN s.heartbeat_sequence < $2 THEN $5 ELSE s.unsettled_charges END,
            oldest_unsettled_ms = CASE WHEN s.heartbeat_sequence < $2 THEN $6 ELSE s.oldest_unsettled_ms END
        FROM previous WHERE s.session_id = previous.session_id
      ), reported AS (
        INSERT INTO ledger.held (account_id, session_id, held_nanos)
        SELECT r.account_id, previous.session_id, r.held_nanos
        FROM unnest($3::uuid[], $4::bigint[]) AS r (account_id, held_nanos)
        JOIN previous ON previous.heartbeat_sequence < $2
        JOIN ledger.leases l ON l.account_id = r.account_id AND l.session_id = $1
        ON CONFLICT (account_id, session_id) DO UPDATE SET held_nanos = excluded.held_nanos
      )
      SELECT ${DATABASE_ID} AS database_id, ${DATABASE_TIME_MS} AS database_time_ms FROM previous`,
    values: [sessionId, sequence, [...held.keys()], [...held.values()], unsettled.charges, unsettled.oldestMs],
  });
  const row = rows[0];
  return row && { databaseId: row.database_id, databaseTimeMs: row.database_time_ms };
}

/**
 * Fences a session: nothing is granted or returned under it from now on. An unknown session is recorded as ended, so that an
 * open that arrives late is rejected.
 */
export async function fenceSession(pool: Pool, sessionId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query({
      name: 'record-unseen-session',
      text: `
        INSERT INTO ledger.sessions (session_id, ingress_name, epoch, state, ended_at, ended_by)
        SELECT $1, '', epoch, 'closed', clock_timestamp(), 'close' FROM ledger.meta
        ON CONFLICT (session_id) DO NOTHING`,
      values: [sessionId],
    });
    // This lock waits for running grants, which hold a key-share lock; an update of these columns alone would not.
    await client.query({
      name: 'lock-session',
      text: 'SELECT FROM ledger.sessions WHERE session_id = $1 FOR UPDATE',
      values: [sessionId],
    });
    await client.query({
      name: 'fence-session',
      text: `
        UPDATE ledger.sessions SET state = 'closing', ended_at = clock_timestamp(), ended_by = 'close'
        WHERE session_id = $1 AND state = 'open'`,
      values: [sessionId],
    });
  });
}

/**
 * Fences sessions whose last heartbeat is older than `keepMs` before `now`, at most 100 in a call.
 *
 * @param now the time of the sweeper's tick, as text of the database; a later time could miss a gap since then
 */
export async function fenceExpiredSessions(db: Queryable, now: string, keepMs: number): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'fence-expired-sessions',
    text: `
      UPDATE ledger.sessions SET state = 'closing', ended_at = clock_timestamp(), ended_by = 'expiry'
      WHERE session_id IN (
        SELECT session_id FROM ledger.sessions
        WHERE state = 'open' AND last_heartbeat_at < $1::timestamptz - $2 * interval '1 millisecond'
        ORDER BY last_heartbeat_at LIMIT 100
        FOR UPDATE SKIP LOCKED
      )
      RETURNING session_id::text`,
    values: [now, keepMs],
  });
  return rows.map((row) => row.session_id);
}

/** Fenced sessions whose leases may not all be freed yet. */
export async function listClosingSessions(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'list-closing-sessions',
    text: `SELECT session_id::text FROM ledger.sessions WHERE state = 'closing' ORDER BY last_heartbeat_at LIMIT 100`,
  });
  return rows.map((row) => row.session_id);
}

/** Marks a fenced session as closed after all its leases were freed, and deletes its reports. */
export async function finishSession(db: Queryable, sessionId: string): Promise<void> {
  await db.query({
    name: 'finish-session',
    text: `
      WITH dropped AS (DELETE FROM ledger.held WHERE session_id = $1)
      UPDATE ledger.sessions SET state = 'closed' WHERE session_id = $1 AND state = 'closing'`,
    values: [sessionId],
  });
}

/** Records a closed session of the ledger itself: what it is granted is spent in the same transaction. */
export async function insertClosedSession(client: PoolClient, sessionId: string, name: string): Promise<void> {
  await client.query({
    name: 'insert-closed-session',
    text: `
      INSERT INTO ledger.sessions (session_id, ingress_name, epoch, state, ended_at, ended_by)
      SELECT $1, $2, epoch, 'closed', clock_timestamp(), 'close' FROM ledger.meta`,
    values: [sessionId, name],
  });
}

/** Sessions that closed before a time and the last complete reconciliation, which found nothing about them; oldest first. */
export async function sessionsWithOldLeases(db: Queryable, closedBeforeMs: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'sessions-to-clear',
    text: `
      SELECT s.session_id::text FROM ledger.sessions s
      WHERE s.state = 'closed' AND NOT s.leases_gone
        AND s.ended_at < to_timestamp(least($1, (SELECT last_began_ms FROM ledger.reconciliation_pass)) / 1000.0)
        AND NOT EXISTS (SELECT FROM ledger.findings f WHERE f.place ->> 'session_id' = s.session_id::text)
      ORDER BY s.ended_at LIMIT $2`,
    values: [closedBeforeMs, limit],
  });
  return rows.map((row) => row.session_id);
}

/** Records that a session's charges will have no lease, before its leases are removed: reconciliation skips them then. */
export async function markLeasesRemoved(db: Queryable, sessionId: string): Promise<void> {
  await db.query({
    name: 'mark-leases-removed',
    text: 'UPDATE ledger.sessions SET leases_removed = true WHERE session_id = $1',
    values: [sessionId],
  });
}

/** Records that all leases of a session are removed. */
export async function markLeasesGone(db: Queryable, sessionId: string): Promise<void> {
  await db.query({
    name: 'mark-leases-gone',
    text: 'UPDATE ledger.sessions SET leases_gone = true WHERE session_id = $1',
    values: [sessionId],
  });
}

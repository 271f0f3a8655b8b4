import { timeOfId } from '@tollgate/common/ids';
import { inTransaction, type Pool, type PoolClient, type Queryable } from '@tollgate/common/postgres/pool';
import { DATABASE_ID, DATABASE_TIME_MS } from './meta.ts';

export interface OpenedSession {
  epoch: bigint;
  databaseId: string;
  /** The database's clock, Unix milliseconds. */
  databaseTimeMs: bigint;
}

/**
 * Opens a session, or takes up one that is open still, as a heartbeat of it. Undefined when it has ended or is of an
 * older epoch: it cannot come back. One the database does not know is of an older epoch when its id, a UUIDv7, was made
 * before the epoch was raised.
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

export interface RecordedHeartbeat {
  /** Names the database. */
  databaseId: string;
  /** Its clock, Unix milliseconds. */
  databaseTimeMs: bigint;
}

/**
 * Records a session's heartbeat by the database's clock, and what its requests hold. A report older than one already
 * recorded changes no held figure.
 *
 * @param held distinct accounts and the nano-dollars held on each; those without a lease are passed over
 * @returns undefined when the session may not be used
 */
export async function recordHeartbeat(
  db: Queryable,
  sessionId: string,
  sequence: bigint,
  held: ReadonlyMap<string, bigint>,
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
        SET last_heartbeat_at = clock_timestamp(), heartbeat_sequence = greatest(s.heartbeat_sequence, $2)
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
    values: [sessionId, sequence, [...held.keys()], [...held.values()]],
  });
  const row = rows[0];
  return row && { databaseId: row.database_id, databaseTimeMs: row.database_time_ms };
}

/**
 * Fences a session: from now on nothing is granted or returned under it. One the ledger never saw is recorded as ended,
 * so that an opening that arrives late finds it so.
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
    // This lock waits for grants that run, which hold a key-share lock; an update of these columns alone would not.
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
 * Fences sessions whose last heartbeat is older than `keepMs` before `now`, some at a time.
 *
 * @param now the moment the sweeper's tick judged, as the database wrote it; a later clock could miss a gap since
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

/** The sessions that are fenced but whose leases may not all be freed yet. */
export async function listClosingSessions(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'list-closing-sessions',
    text: `SELECT session_id::text FROM ledger.sessions WHERE state = 'closing' ORDER BY last_heartbeat_at LIMIT 100`,
  });
  return rows.map((row) => row.session_id);
}

/** Marks a fenced session whose leases are all freed, and drops its reports. */
export async function finishSession(db: Queryable, sessionId: string): Promise<void> {
  await db.query({
    name: 'finish-session',
    text: `
      WITH dropped AS (DELETE FROM ledger.held WHERE session_id = $1)
      UPDATE ledger.sessions SET state = 'closed' WHERE session_id = $1 AND state = 'closing'`,
    values: [sessionId],
  });
}

/** Records a session of the ledger's own that has ended already: what is granted to it is spent in the same transaction. */
export async function insertClosedSession(client: PoolClient, sessionId: string, name: string): Promise<void> {
  await client.query({
    name: 'insert-closed-session',
    text: `
      INSERT INTO ledger.sessions (session_id, ingress_name, epoch, state, ended_at, ended_by)
      SELECT $1, $2, epoch, 'closed', clock_timestamp(), 'close' FROM ledger.meta`,
    values: [sessionId, name],
  });
}

/** Sessions that closed before a time and are reconciled without findings; oldest first. */
export async function sessionsWithOldLeases(db: Queryable, closedBeforeMs: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'sessions-to-clear',
    text: `
      SELECT s.session_id::text FROM ledger.sessions s
      WHERE s.state = 'closed' AND NOT s.leases_gone
        AND s.ended_at < to_timestamp(least($1, (SELECT until_ms FROM ledger.reconciliation)) / 1000.0)
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

/** Removes what reconciliation and the archive keep of a session's leases, and records that all of them are removed. */
export async function forgetSessionLeases(db: Queryable, sessionId: string): Promise<void> {
  await db.query({
    name: 'forget-leases-of-session',
    text: `
      WITH sums AS (DELETE FROM ledger.reconciled_leases WHERE session_id = $1),
           carried AS (DELETE FROM ledger.carried_leases WHERE session_id = $1)
      UPDATE ledger.sessions SET leases_gone = true WHERE session_id = $1`,
    values: [sessionId],
  });
}

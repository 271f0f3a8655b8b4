import { inTransaction, type Pool, type Queryable } from '@tollgate/common/postgres/pool';

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

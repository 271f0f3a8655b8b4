import type { Queryable } from '@tollgate/common/postgres/pool';
import { DATABASE_ID, DATABASE_TIME_MS } from './identity.ts';

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

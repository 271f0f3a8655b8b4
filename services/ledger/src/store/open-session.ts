import { timeOfId } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { DATABASE_ID, DATABASE_TIME_MS } from './identity.ts';

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

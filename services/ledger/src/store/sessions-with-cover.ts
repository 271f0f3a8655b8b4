import type { Queryable } from '@tollgate/common/postgres/pool';

/** Sessions named at most: those that cover the most come first. */
const MOST_SESSIONS = 1_000;

/**
 * The sessions that live, by their last heartbeat, and whose lease on the account still covers something. Reads the few
 * sessions that are open and looks each one's lease up, as leases of ended sessions stay for good.
 *
 * @param except a session to leave out; undefined: none
 */
export async function sessionsWithCover(
  db: Queryable,
  accountId: string,
  except: string | undefined,
  sessionTtlMs: number,
): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'sessions-with-cover',
    text: `
      WITH live AS MATERIALIZED (
        SELECT session_id FROM ledger.sessions
        WHERE state = 'open' AND epoch = (SELECT epoch FROM ledger.meta)
          AND last_heartbeat_at > clock_timestamp() - $3 * interval '1 millisecond'
          AND session_id IS DISTINCT FROM $2
      )
      SELECT l.session_id::text FROM live JOIN ledger.leases l ON l.account_id = $1 AND l.session_id = live.session_id
      WHERE l.granted > l.spent + l.returned
      ORDER BY l.granted - l.spent - l.returned DESC LIMIT $4`,
    values: [accountId, except ?? null, sessionTtlMs, MOST_SESSIONS],
  });
  return rows.map((row) => row.session_id);
}

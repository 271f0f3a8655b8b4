import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Cap } from '../settle/sum-caps.ts';

/** Sessions named at most: those that have the most come first. */
const MOST_SESSIONS = 1_000;

/**
 * The sessions that live, by their last heartbeat, and have an unspent part of a cap, but the one named. A cap's parts
 * are few: those of ended sessions are removed.
 */
export async function sessionsWithCap(
  db: Queryable,
  cap: Cap,
  except: string,
  sessionTtlMs: number,
): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'sessions-with-cap',
    text: `
      SELECT l.session_id::text FROM ledger.cap_leases l JOIN ledger.sessions s ON s.session_id = l.session_id
      WHERE l.account_id = $1 AND l.key_id = $2 AND l.period = $3::ledger.cap_period AND l.period_start_ms = $4
        AND l.session_id <> $5 AND l.granted > l.spent + l.returned
        AND s.state = 'open' AND s.epoch = (SELECT epoch FROM ledger.meta)
        AND s.last_heartbeat_at > clock_timestamp() - $6 * interval '1 millisecond'
      ORDER BY l.granted - l.spent - l.returned DESC LIMIT $7`,
    values: [cap.accountId, cap.keyId, cap.period, cap.startMs, except, sessionTtlMs, MOST_SESSIONS],
  });
  return rows.map((row) => row.session_id);
}

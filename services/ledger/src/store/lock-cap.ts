import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Cap } from '../settle/sum-caps.ts';

/** A cap, and a session's part of it; nano-dollars. */
export interface CapCounters {
  limit: bigint;
  /** The revision of the key that the limit comes from. */
  keyRevision: bigint;
  /** Charged in the period, over all sessions. */
  capSpent: bigint;
  /** Lent to sessions and not spent, over all of them. */
  capLeased: bigint;
  /** The session's part, cumulative. */
  granted: bigint;
  spent: bigint;
  returned: bigint;
  /** The acquire that was granted last. */
  acquireSequence: bigint;
}

/**
 * Reads a cap and a session's part of it. Keeps the session from ending until the transaction does, as readLease does.
 * The account's balance must be locked, which guards the caps as well.
 *
 * @returns 'fenced' when the session may not be used, undefined when the cap is not there yet
 */
export async function lockCap(
  client: PoolClient,
  cap: Cap,
  sessionId: string,
): Promise<CapCounters | 'fenced' | undefined> {
  const { rows } = await client.query<{
    limit_nanos: bigint | null;
    key_revision: bigint;
    cap_spent: bigint;
    cap_leased: bigint;
    granted: bigint;
    spent: bigint;
    returned: bigint;
    acquire_sequence: bigint;
  }>({
    name: 'lock-cap',
    text: `
      WITH session AS (
        SELECT session_id FROM ledger.sessions
        WHERE session_id = $5 AND state = 'open' AND epoch = (SELECT epoch FROM ledger.meta)
        FOR KEY SHARE
      )
      SELECT c.limit_nanos, c.key_revision, c.spent AS cap_spent, c.leased AS cap_leased,
             coalesce(l.granted, 0) AS granted, coalesce(l.spent, 0) AS spent, coalesce(l.returned, 0) AS returned,
             coalesce(l.acquire_sequence, 0) AS acquire_sequence
      FROM session s
      LEFT JOIN ledger.caps c
        ON c.account_id = $1 AND c.key_id = $2 AND c.period = $3::ledger.cap_period AND c.period_start_ms = $4
      LEFT JOIN ledger.cap_leases l
        ON l.account_id = $1 AND l.key_id = $2 AND l.period = $3::ledger.cap_period AND l.period_start_ms = $4
          AND l.session_id = s.session_id`,
    values: [cap.accountId, cap.keyId, cap.period, cap.startMs, sessionId],
  });
  const row = rows[0];
  if (row === undefined) return 'fenced';
  if (row.limit_nanos === null) return undefined;
  return {
    limit: row.limit_nanos,
    keyRevision: row.key_revision,
    capSpent: row.cap_spent,
    capLeased: row.cap_leased,
    granted: row.granted,
    spent: row.spent,
    returned: row.returned,
    acquireSequence: row.acquire_sequence,
  };
}

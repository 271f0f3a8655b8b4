import type { PoolClient } from '@tollgate/common/postgres/pool';

/** A lease's cumulative counters, nano-dollars. */
export interface LeaseCounters {
  granted: bigint;
  spent: bigint;
  returned: bigint;
  /** The acquire that was granted last. */
  acquireSequence: bigint;
}

/**
 * Reads a session's lease on an account; undefined when the session may not be used (unknown, ended, or of an older
 * epoch). Keeps the session from ending until the transaction does: a key-share lock, which lets heartbeats pass.
 * The account's balance must be locked.
 */
export async function readLease(
  client: PoolClient,
  accountId: string,
  sessionId: string,
): Promise<LeaseCounters | undefined> {
  const { rows } = await client.query<{ granted: bigint; spent: bigint; returned: bigint; acquire_sequence: bigint }>({
    name: 'read-lease',
    text: `
      WITH session AS (
        SELECT session_id FROM ledger.sessions
        WHERE session_id = $2 AND state = 'open' AND epoch = (SELECT epoch FROM ledger.meta)
        FOR KEY SHARE
      )
      SELECT coalesce(l.granted, 0) AS granted, coalesce(l.spent, 0) AS spent, coalesce(l.returned, 0) AS returned,
             coalesce(l.acquire_sequence, 0) AS acquire_sequence
      FROM session s
      LEFT JOIN ledger.leases l ON l.account_id = $1 AND l.session_id = s.session_id`,
    values: [accountId, sessionId],
  });
  const row = rows[0];
  return (
    row && { granted: row.granted, spent: row.spent, returned: row.returned, acquireSequence: row.acquire_sequence }
  );
}

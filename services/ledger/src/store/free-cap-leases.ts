import type { PoolClient } from '@tollgate/common/postgres/pool';

/**
 * Frees the parts of caps that a session has of these accounts, and forgets them: nothing asks for them again. The
 * session must have ended, and the balances be locked.
 */
export async function freeCapLeases(client: PoolClient, sessionId: string, accountIds: string[]): Promise<void> {
  await client.query({
    name: 'free-cap-leases',
    text: `
      WITH freed AS (
        DELETE FROM ledger.cap_leases WHERE session_id = $1 AND account_id = ANY ($2::uuid[])
        RETURNING account_id, key_id, period, period_start_ms, granted - spent - returned AS amount
      )
      UPDATE ledger.caps c SET leased = c.leased - f.amount
      FROM freed f
      WHERE c.account_id = f.account_id AND c.key_id = f.key_id AND c.period = f.period
        AND c.period_start_ms = f.period_start_ms AND f.amount > 0`,
    values: [sessionId, accountIds],
  });
}

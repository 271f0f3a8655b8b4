import type { PoolClient } from '@tollgate/common/postgres/pool';

export interface Grant {
  accountId: string;
  sessionId: string;
  /** A new UUIDv7. */
  transferId: string;
  amount: bigint;
  /** The acquire that is met. */
  sequence: bigint;
  nowMs: bigint;
}

/** Moves available credit onto a session's lease. The account's balance must be locked. */
export async function grantLease(client: PoolClient, grant: Grant): Promise<void> {
  await client.query({
    name: 'grant-lease',
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available - $4, leased = leased + $4 WHERE account_id = $1
      ), lease AS (
        INSERT INTO ledger.leases AS l (account_id, session_id, granted, acquire_sequence) VALUES ($1, $2, $4, $5)
        ON CONFLICT (account_id, session_id) DO UPDATE
          SET granted = l.granted + excluded.granted, acquire_sequence = excluded.acquire_sequence
      )
      INSERT INTO ledger.transfers
        (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
      VALUES ($1, $3, 'available', 'leased', $4, 'lease_grant', $2, $6)`,
    values: [grant.accountId, grant.sessionId, grant.transferId, grant.amount, grant.sequence, grant.nowMs],
  });
}

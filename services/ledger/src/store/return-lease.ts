import type { PoolClient } from '@tollgate/common/postgres/pool';

export interface LeaseReturn {
  accountId: string;
  sessionId: string;
  /** A new UUIDv7. */
  transferId: string;
  amount: bigint;
  nowMs: bigint;
}

/** Moves unspent credit of a session's lease back to what is available. The account's balance must be locked. */
export async function returnLease(client: PoolClient, given: LeaseReturn): Promise<void> {
  await client.query({
    name: 'return-lease',
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available + $4, leased = leased - $4 WHERE account_id = $1
      ), lease AS (
        UPDATE ledger.leases SET returned = returned + $4 WHERE account_id = $1 AND session_id = $2
      )
      INSERT INTO ledger.transfers
        (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
      VALUES ($1, $3, 'leased', 'available', $4, 'lease_return', $2, $5)`,
    values: [given.accountId, given.sessionId, given.transferId, given.amount, given.nowMs],
  });
}

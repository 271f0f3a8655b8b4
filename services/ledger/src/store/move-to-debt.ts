import type { PoolClient } from '@tollgate/common/postgres/pool';

export interface DebtPayment {
  accountId: string;
  /** A new UUIDv7. */
  transferId: string;
  amount: bigint;
  nowMs: bigint;
}

/**
 * Pays a part of what an account owes out of what is available. The account's balance must be locked. The transfer
 * names the deposit that left the debt last.
 */
export async function moveToDebt(client: PoolClient, payment: DebtPayment): Promise<void> {
  const { rowCount } = await client.query({
    name: 'move-to-debt',
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available - $3, receivable = receivable + $3 WHERE account_id = $1
      )
      INSERT INTO ledger.transfers
        (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
      SELECT $1, $2, 'available', 'receivable', $3, 'debt_paid', deposit_id, $4
      FROM ledger.deposits WHERE account_id = $1 AND owed_nanos > 0
      ORDER BY created_at_ms DESC, deposit_id DESC LIMIT 1`,
    values: [payment.accountId, payment.transferId, payment.amount, payment.nowMs],
  });
  if (rowCount !== 1) throw new Error('an account owes money that no deposit accounts for');
}

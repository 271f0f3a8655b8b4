import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Deposit } from '@tollgate/proto/ledger';
import type { DepositKindLabel } from './deposit-kind.ts';
import { DEPOSIT_COLUMNS, type DepositRow, depositFromRow } from './deposit-row.ts';

export interface NewDeposit {
  /** New UUIDv7s. */
  depositId: string;
  transferId: string;
  accountId: string;
  kind: DepositKindLabel;
  amountNanos: bigint;
  reason: string;
  idempotencyKey: string;
  inputHash: Buffer;
  nowMs: bigint;
}

/** The side of the double entry that a kind of deposit comes from. Refunds are payments that go back, so they share the
 * side of deposits. */
function sourceOf(kind: DepositKindLabel): 'deposits' | 'adjustments' {
  return kind === 'adjustment' ? 'adjustments' : 'deposits';
}

/** Records a deposit and moves its amount to what is available, or from it. The account's balance must be locked. */
export async function insertDeposit(client: PoolClient, given: NewDeposit): Promise<Deposit> {
  const source = sourceOf(given.kind);
  const [debit, credit] = given.amountNanos > 0n ? [source, 'available'] : ['available', source];
  const amount = given.amountNanos > 0n ? given.amountNanos : -given.amountNanos;
  const { rows } = await client.query<DepositRow>({
    name: `insert-deposit-${source}`,
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available + $4, ${source} = ${source} - $4 WHERE account_id = $2
      ), transfer AS (
        INSERT INTO ledger.transfers
          (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
        VALUES ($2, $9, $10::ledger.side, $11::ledger.side, $12, $3::text::ledger.transfer_reason, $1, $8)
      )
      INSERT INTO ledger.deposits
        (deposit_id, account_id, kind, amount_nanos, reason, idempotency_key, input_hash, created_at_ms)
      VALUES ($1, $2, $3::text::ledger.deposit_kind, $4, $5, $6, $7, $8)
      RETURNING ${DEPOSIT_COLUMNS}`,
    values: [
      given.depositId,
      given.accountId,
      given.kind,
      given.amountNanos,
      given.reason,
      given.idempotencyKey,
      given.inputHash,
      given.nowMs,
      given.transferId,
      debit,
      credit,
      amount,
    ],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('an inserted deposit gave no row');
  return depositFromRow(row);
}

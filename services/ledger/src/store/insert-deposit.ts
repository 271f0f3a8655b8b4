import { newId } from '@tollgate/common/ids';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Deposit } from '@tollgate/proto/ledger';
import type { DepositKindLabel } from './deposit-kind.ts';
import { DEPOSIT_COLUMNS, type DepositRow, depositFromRow } from './deposit-row.ts';

export interface NewDeposit {
  /** A new UUIDv7. */
  depositId: string;
  accountId: string;
  kind: DepositKindLabel;
  amountNanos: bigint;
  /** What of it changes the debt instead of what is available: positive where the account owes more. */
  owedNanos: bigint;
  reason: string;
  idempotencyKey: string;
  inputHash: Buffer;
  nowMs: bigint;
}

/** The side of the double entry that a kind of deposit comes from. Refunds and disputes are payments that go back, so they
 * share the side of deposits. */
function sourceOf(kind: DepositKindLabel): 'deposits' | 'adjustments' {
  return kind === 'adjustment' ? 'adjustments' : 'deposits';
}

/**
 * Records a deposit and moves its amount: to what is available or from it, and the part that is owed to what the account
 * owes or from it, each by a transfer of its own. The account's balance must be locked.
 */
export async function insertDeposit(client: PoolClient, given: NewDeposit): Promise<Deposit> {
  const source = sourceOf(given.kind);
  const gained = given.amountNanos + given.owedNanos;
  const { rows } = await client.query<DepositRow>({
    name: `insert-deposit-${source}`,
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET
          available = available + $9, receivable = receivable - $10, ${source} = ${source} - $4
        WHERE account_id = $2
      ), transfer AS (
        INSERT INTO ledger.transfers
          (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
        SELECT $2, t.id,
               CASE WHEN t.gain > 0 THEN '${source}'::ledger.side ELSE t.side END,
               CASE WHEN t.gain > 0 THEN t.side ELSE '${source}'::ledger.side END,
               abs(t.gain), $3::text::ledger.transfer_reason, $1, $8
        FROM (VALUES
          ($11::uuid, 'available'::ledger.side, $9::bigint), ($12, 'receivable', -$10::bigint)
        ) AS t (id, side, gain)
        WHERE t.gain <> 0
      )
      INSERT INTO ledger.deposits
        (deposit_id, account_id, kind, amount_nanos, owed_nanos, reason, idempotency_key, input_hash, created_at_ms)
      VALUES ($1, $2, $3::text::ledger.deposit_kind, $4, $10, $5, $6, $7, $8)
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
      gained,
      given.owedNanos,
      newId(),
      newId(),
    ],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('an inserted deposit gave no row');
  return depositFromRow(row);
}

import type { Deposit } from '@tollgate/proto/ledger';
import { type DepositKindLabel, depositKindOf } from './deposit-kind.ts';

/** A row of ledger.deposits as it is shown. */
export interface DepositRow {
  deposit_id: string;
  account_id: string;
  kind: DepositKindLabel;
  amount_nanos: bigint;
  reason: string;
  created_at_ms: bigint;
  owed_nanos: bigint;
}

export const DEPOSIT_COLUMNS =
  'deposit_id::text, account_id::text, kind, amount_nanos, reason, created_at_ms, owed_nanos';

export function depositFromRow(row: DepositRow): Deposit {
  return {
    depositId: row.deposit_id,
    accountId: row.account_id,
    kind: depositKindOf(row.kind),
    amountNanos: row.amount_nanos,
    reason: row.reason,
    createdAtMs: row.created_at_ms,
    owedNanos: row.owed_nanos,
  };
}

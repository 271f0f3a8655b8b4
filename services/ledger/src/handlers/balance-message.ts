import { minBigInt } from '@tollgate/common/money';
import type { Balance } from '@tollgate/proto/ledger';
import type { BalanceView } from '../store/balances.ts';

/** The message of a balance. The held amount is at most the leased one. */
export function balanceMessage(accountId: string, row: BalanceView | undefined): Balance {
  const balanceNanos = row === undefined ? 0n : row.available + row.leased;
  const heldNanos = row === undefined ? 0n : minBigInt(row.held, row.leased);
  return {
    accountId,
    balanceNanos,
    heldNanos,
    availableNanos: balanceNanos - heldNanos,
    receivableNanos: row?.receivable ?? 0n,
    suspended: (row?.receivable ?? 0n) > 0n,
  };
}

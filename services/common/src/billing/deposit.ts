import { type Deposit, DepositKind } from '@tollgate/proto/ledger';
import { CURRENCY, formatDollars } from '../money.ts';

export const DEPOSIT_KINDS = {
  deposit: DepositKind.DEPOSIT,
  adjustment: DepositKind.ADJUSTMENT,
  refund: DepositKind.REFUND,
  dispute: DepositKind.DISPUTE,
} as const;
export type DepositKindName = keyof typeof DEPOSIT_KINDS;

/** A deposit as the billing API and the command line show it. */
export function renderDeposit(deposit: Deposit) {
  return {
    deposit_id: deposit.depositId,
    kind: depositKindName(deposit.kind),
    amount: formatDollars(deposit.amountNanos),
    owed: formatDollars(deposit.owedNanos),
    currency: CURRENCY,
    reason: deposit.reason,
    created_at: new Date(Number(deposit.createdAtMs)).toISOString(),
  };
}

export function depositKindName(kind: DepositKind): string {
  return Object.entries(DEPOSIT_KINDS).find(([, value]) => value === kind)?.[0] ?? 'unknown';
}

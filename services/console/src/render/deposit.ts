import { DEPOSIT_KINDS, type DepositKindName } from '@tollgate/common/billing/deposit';
import { formatDollars } from '@tollgate/common/money';
import type { Deposit } from '@tollgate/proto/ledger';
import { renderTime, textOrNull } from './time.ts';

const KIND_NAMES = Object.keys(DEPOSIT_KINDS) as DepositKindName[];

export function renderDeposit(deposit: Deposit) {
  return {
    deposit_id: deposit.depositId,
    kind: kindOf(deposit),
    amount: formatDollars(deposit.amountNanos),
    reason: deposit.reason,
    created_by: textOrNull(deposit.createdBy),
    created_at: renderTime(deposit.createdAtMs),
  };
}

function kindOf({ depositId, kind }: Deposit): DepositKindName {
  const name = KIND_NAMES.find((each) => DEPOSIT_KINDS[each] === kind);
  if (name === undefined) throw new Error(`deposit ${depositId} has no kind`);
  return name;
}

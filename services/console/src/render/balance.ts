import { formatDollars } from '@tollgate/common/money';
import type { Balance } from '@tollgate/proto/ledger';

export function renderBalance(balance: Balance) {
  return {
    available: formatDollars(balance.availableNanos),
    held: formatDollars(balance.heldNanos),
    owed: formatDollars(balance.receivableNanos),
    suspended: balance.suspended,
  };
}

import type { Balance } from '@tollgate/proto/ledger';
import { CURRENCY, formatDollars } from '../money.ts';

/** A balance as the billing API and the command line show it. */
export function renderBalance(balance: Balance) {
  return {
    balance: formatDollars(balance.balanceNanos),
    held: formatDollars(balance.heldNanos),
    available: formatDollars(balance.availableNanos),
    owed: formatDollars(balance.receivableNanos),
    suspended: balance.suspended,
    currency: CURRENCY,
  };
}

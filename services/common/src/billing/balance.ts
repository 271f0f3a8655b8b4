import { type Balance, type Lot, LotKind } from '@tollgate/proto/ledger';
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
    lots: balance.lots.map(renderLot),
  };
}

const LOT_KINDS = {
  paid: LotKind.PAID,
  granted: LotKind.GRANTED,
  contractual: LotKind.CONTRACTUAL,
} as const;

/** A part of the credit, of those in the order in which they are spent. */
function renderLot({ lotId, kind, remainingNanos, amountNanos, endsAtMs, createdAtMs }: Lot) {
  return {
    lot_id: lotId,
    kind: Object.entries(LOT_KINDS).find(([, value]) => value === kind)?.[0] ?? 'unknown',
    remaining: formatDollars(remainingNanos),
    amount: formatDollars(amountNanos),
    ends_at: endsAtMs === 0n ? null : new Date(Number(endsAtMs)).toISOString(),
    created_at: new Date(Number(createdAtMs)).toISOString(),
  };
}

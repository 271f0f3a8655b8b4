/** Labels of the SQL type ledger.lot_kind. Only paid credit is refundable. */
export type LotKindLabel = 'paid' | 'granted' | 'contractual';

/** Lots of lower priority are spent first. */
export const DEFAULT_PRIORITY = 50;
export const MAX_PRIORITY = 100;

/** A part of an account's credit; nano-dollars. amount = remaining + spent + taken + expired. */
export interface Lot {
  lotId: string;
  /** The deposit whose refunds and disputes take it; undefined: credit that was in no lot, of whatever payments. */
  paymentId: string | undefined;
  kind: LotKindLabel;
  priority: number;
  /** Unix milliseconds; undefined: it has no end. */
  endsAtMs: bigint | undefined;
  createdAtMs: bigint;
  amount: bigint;
  remaining: bigint;
  /** By charges. */
  spent: bigint;
  /** By refunds, disputes, adjustments and debts. */
  taken: bigint;
  expired: bigint;
  /** When something is to be done about its end. */
  dueAtMs: bigint | undefined;
}

/** The order in which lots are spent: priority, end, age. Credit that was in no lot counts as the oldest. */
export function compareLots(a: Lot, b: Lot): number {
  return (
    a.priority - b.priority ||
    compare(a.endsAtMs ?? ENDLESS, b.endsAtMs ?? ENDLESS) ||
    compare(a.paymentId !== undefined, b.paymentId !== undefined) ||
    compare(a.createdAtMs, b.createdAtMs) ||
    compare(a.lotId, b.lotId)
  );
}

const ENDLESS = 2n ** 63n;

function compare<T>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

import { type CapPeriodLabel, periodEnd } from '@tollgate/common/cap-periods';
import { CURRENCY, formatDollars } from '@tollgate/common/money';

/** What is known of a ceiling that a request must fit under; nano-dollars. */
export type CeilingStatus = BalanceStatus | CapStatus;

/** The account's balance, which has no window. */
export interface BalanceStatus {
  scope: 'account';
  window: null;
  /** The balance. */
  leftNanos: bigint;
  /** What open requests, and ingresses for further ones, hold of it. */
  heldNanos: bigint;
}

/** A spending cap of a key in its current window. */
export interface CapStatus {
  scope: 'key';
  window: CapPeriodLabel;
  /** Start of the window, Unix milliseconds; 0 for the total. */
  startMs: number;
  limitNanos: bigint;
  /** More than the limit only if that was lowered. */
  spentNanos: bigint;
  /** The limit less what is spent, at least 0. */
  leftNanos: bigint;
  /** What open requests, and ingresses for further ones, hold of what is left. */
  heldNanos: bigint;
}

/** Whose ceilings they are. */
export interface CeilingOwner {
  accountId: string;
  keyId: string;
  keyName: string;
}

/** When a cap starts again; RFC 3339. Null: never. */
export function resetsAt(cap: CapStatus): string | null {
  const end = periodEnd(cap.window, cap.startMs);
  return end === undefined ? null : new Date(end).toISOString();
}

/** The share of a cap that a further request could hold, 0 to 1. */
export function freeShare({ limitNanos, leftNanos, heldNanos }: CapStatus): number {
  return limitNanos === 0n ? 0 : Number(leftNanos - heldNanos) / Number(limitNanos);
}

/** A ceiling as errors and the billing API show it. Names nothing above the key but its account, and that only by its id. */
export function renderCeiling(ceiling: CeilingStatus, owner: CeilingOwner) {
  return {
    scope: ceiling.scope,
    ...identityOf(ceiling, owner),
    window: ceiling.window,
    ...amountsOf(ceiling),
    held: formatDollars(ceiling.heldNanos),
    resets_at: ceiling.scope === 'key' ? resetsAt(ceiling) : null,
    currency: CURRENCY,
  };
}

function identityOf({ scope }: CeilingStatus, { accountId, keyId, keyName }: CeilingOwner) {
  switch (scope) {
    case 'account':
      return { id: accountId, name: null };
    case 'key':
      return { id: keyId, name: keyName };
    default:
      return scope satisfies never;
  }
}

/** A balance has no amount that it began with: what is in it is the amount, and nothing of that is spent. */
function amountsOf(ceiling: CeilingStatus) {
  switch (ceiling.scope) {
    case 'account':
      return { amount: formatDollars(ceiling.leftNanos), spent: null };
    case 'key':
      return { amount: formatDollars(ceiling.limitNanos), spent: formatDollars(ceiling.spentNanos) };
    default:
      return ceiling satisfies never;
  }
}

import { BALANCE, CAP_PERIOD_OF_LABEL, ceilingPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import { isUuid } from '@tollgate/common/ids';
import { type AcquireCredit, CapPeriod, type Ceiling, type Need } from '@tollgate/proto/ledger';
import { type AccountCeiling, type Cap, capKey } from '../store/ceilings.ts';

/** What an acquire needs of one ceiling. */
export interface CeilingNeed extends Omit<Need, 'ceiling'> {
  cap: Cap | undefined;
}

/** An acquire whose names are well-formed, each ceiling once. */
export interface Acquire {
  accountId: string;
  sequence: bigint;
  needs: CeilingNeed[];
  prefetch: boolean;
}

/** Maximum ceilings of one acquire. */
const MAX_NEEDS = 64;

/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;

/** The ceiling that a message names; undefined for malformed ids or a time that starts no such period. */
export function ceilingOf(account: string, name: Ceiling | undefined): AccountCeiling | undefined {
  if (name === undefined || !isUuid(account)) return undefined;
  const accountId = account.toLowerCase();
  if (name.nodeId === '') {
    const isBalance = name.period === CapPeriod.UNSPECIFIED && name.periodStartMs === 0n;
    return isBalance ? { accountId, cap: undefined } : undefined;
  }
  const period = ceilingPeriodLabel(name.period);
  if (period === undefined || !isUuid(name.nodeId)) return undefined;
  if (name.periodStartMs < 0n || name.periodStartMs > LAST_TIME_MS) return undefined;
  const startMs = Number(name.periodStartMs);
  if (periodStart(period, startMs) !== startMs) return undefined;
  return { accountId, cap: { accountId, nodeId: name.nodeId.toLowerCase(), period, startMs } };
}

/** The name of a cap in messages, or of the balance. */
export function ceilingName(cap: Cap | undefined): Ceiling {
  if (cap === undefined) return BALANCE;
  return { nodeId: cap.nodeId, period: CAP_PERIOD_OF_LABEL[cap.period], periodStartMs: BigInt(cap.startMs) };
}

/** What a message acquires; undefined if it names nothing, too much, or something malformed, or a ceiling twice. */
export function acquireOf({ accountId, sequence, needs, prefetch }: AcquireCredit): Acquire | undefined {
  if (needs.length === 0 || needs.length > MAX_NEEDS) return undefined;
  const named = new Map<string, CeilingNeed>();
  for (const { ceiling: name, ...need } of needs) {
    const ceiling = ceilingOf(accountId, name);
    if (ceiling === undefined || need.limitNanos < 0n) return undefined;
    named.set(ceiling.cap === undefined ? '' : capKey(ceiling.cap), { ...need, cap: ceiling.cap });
  }
  if (named.size < needs.length) return undefined;
  return { accountId: accountId.toLowerCase(), sequence, needs: [...named.values()], prefetch };
}

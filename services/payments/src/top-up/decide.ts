import { periodEnd, periodStart } from '@tollgate/common/cap-periods';
import { minBigInt } from '@tollgate/common/money';
import { NANOS_PER_CENT } from '../money.ts';
import type { Pause, TopUpRule } from '../store/top-ups.ts';

/** How soon is looked again at what an account may pay in within 24 hours. */
export const DAILY_LIMIT_PAUSE_MS = 3_600_000;

/** What decides whether an account is charged now. */
export interface Situation {
  nowMs: number;
  rule: TopUpRule;
  pause: Pick<Pause, 'untilMs'> | undefined;
  /** A charge is under way: credit to come. */
  isCharging: boolean;
  balanceNanos: bigint;
  owedNanos: bigint;
  hasOpenDispute: boolean;
  /** Charged automatically since the month began, with what is under way. */
  monthNanos: bigint;
  dailyLeftNanos: bigint;
  /** Of one payment, in whole cents. */
  bounds: { minNanos: bigint; maxNanos: bigint };
}

export type Decision =
  | { do: 'nothing' }
  | { do: 'charge'; amountNanos: bigint }
  | { do: 'pause'; reason: 'dispute' | 'monthly_max' | 'daily_limit'; untilMs: number | undefined };

const NOTHING: Decision = { do: 'nothing' };

/** What to do for an account now. The amount is in whole cents, and within every bound. */
export function decide(situation: Situation): Decision {
  const { nowMs, rule, pause, isCharging, balanceNanos, owedNanos, hasOpenDispute, bounds } = situation;
  if (isCharging || isPaused(pause, nowMs) || balanceNanos > rule.thresholdNanos) return NOTHING;
  if (hasOpenDispute) return { do: 'pause', reason: 'dispute', untilMs: undefined };
  // A suspended account is paid by somebody who has seen why.
  if (owedNanos > 0n) return NOTHING;
  const monthLeft = wholeCents(rule.monthlyMaxNanos - situation.monthNanos);
  if (monthLeft < bounds.minNanos) return { do: 'pause', reason: 'monthly_max', untilMs: monthEnd(nowMs) };
  const dailyLeft = wholeCents(situation.dailyLeftNanos);
  if (dailyLeft < bounds.minNanos) return { do: 'pause', reason: 'daily_limit', untilMs: nowMs + DAILY_LIMIT_PAUSE_MS };
  const missing = wholeCents(rule.targetNanos - balanceNanos + NANOS_PER_CENT - 1n);
  const wanted = missing < bounds.minNanos ? bounds.minNanos : minBigInt(missing, bounds.maxNanos);
  return { do: 'charge', amountNanos: minBigInt(wanted, minBigInt(monthLeft, dailyLeft)) };
}

/** Whether a pause still holds. */
export function isPaused(pause: Pick<Pause, 'untilMs'> | undefined, nowMs: number): boolean {
  return pause !== undefined && (pause.untilMs === undefined || nowMs < pause.untilMs);
}

/** When the UTC month of a time began. */
export function monthStart(nowMs: number): number {
  return periodStart('month', nowMs);
}

function monthEnd(nowMs: number): number | undefined {
  return periodEnd('month', monthStart(nowMs));
}

/** Rounded down; negative amounts are nothing. */
function wholeCents(nanos: bigint): bigint {
  return nanos <= 0n ? 0n : nanos - (nanos % NANOS_PER_CENT);
}

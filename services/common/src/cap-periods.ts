import { CapPeriod, type CapUsage, type Ceiling, type NodePeriods } from '@tollgate/proto/ledger';
import type { LimitGrant, SpendingCaps } from './keys/index.ts';
import { atLeastZero } from './money.ts';

/** Periods of spending caps; also the labels of the ledger's SQL type. A request holds its caps in this order. */
export const CAP_PERIODS = ['day', 'week', 'month', 'total'] as const;
export type CapPeriodLabel = (typeof CAP_PERIODS)[number];

/** Periods of all ceilings of nodes. The node of the last one is a session as clients name it, which has no other. */
export const CEILING_PERIODS = [...CAP_PERIODS, 'session'] as const;
export type CeilingPeriodLabel = (typeof CEILING_PERIODS)[number];

/** The enum value of a period. */
export const CAP_PERIOD_OF_LABEL: Readonly<Record<CeilingPeriodLabel, CapPeriod>> = {
  day: CapPeriod.DAY,
  week: CapPeriod.WEEK,
  month: CapPeriod.MONTH,
  total: CapPeriod.TOTAL,
  session: CapPeriod.SESSION,
};

/** The label of a period; undefined for none, and for one that a newer service may send. */
export function ceilingPeriodLabel(period: CapPeriod): CeilingPeriodLabel | undefined {
  return CEILING_PERIODS.find((label) => CAP_PERIOD_OF_LABEL[label] === period);
}

/** The name of an account's balance among its ceilings. */
export const BALANCE: Ceiling = { nodeId: '', period: CapPeriod.UNSPECIFIED, periodStartMs: 0n };

/** The limit of a cap in nano-dollars; undefined: not set. */
export function capLimit(caps: SpendingCaps | undefined, period: CapPeriodLabel): bigint | undefined {
  switch (period) {
    case 'day':
      return caps?.dayNanos;
    case 'week':
      return caps?.weekNanos;
    case 'month':
      return caps?.monthNanos;
    case 'total':
      return caps?.totalNanos;
    default:
      return period satisfies never;
  }
}

/**
 * The limit of a cap in the window that begins at a time: what is granted for just this window is more. In the next one the cap
 * applies again, without anybody doing anything.
 */
export function limitInWindow(
  { caps, grants }: { caps: SpendingCaps | undefined; grants: readonly LimitGrant[] },
  period: CapPeriodLabel,
  startMs: number,
): bigint | undefined {
  let limit = capLimit(caps, period);
  if (limit === undefined) return undefined;
  for (const grant of grants)
    if (grant.period === period && grant.periodStartMs === startMs && grant.limitNanos > limit)
      limit = grant.limitNanos;
  return limit;
}

/** The periods in which nodes have caps; nodes without any are left out. */
export function cappedPeriods(nodes: readonly { nodeId: string; caps?: SpendingCaps | undefined }[]): NodePeriods[] {
  return nodes.flatMap(({ nodeId, caps }) => {
    const periods = CAP_PERIODS.filter((period) => capLimit(caps, period) !== undefined);
    return periods.length === 0 ? [] : [{ nodeId, periods: periods.map((period) => CAP_PERIOD_OF_LABEL[period]) }];
  });
}

/** What a cap allows and what is used of it in its current period; nano-dollars. */
export interface CapStanding {
  /** Unix milliseconds; 0 for those without an end. */
  startMs: number;
  limitNanos: bigint;
  /** More than the limit only if that was lowered. */
  spentNanos: bigint;
  /** The limit less what is spent, at least 0. */
  leftNanos: bigint;
  /** What open requests, and ingresses for further ones, hold of what is left. */
  heldNanos: bigint;
}

/** @param used undefined: nothing is spent */
export function capStanding(
  period: CeilingPeriodLabel,
  limitNanos: bigint,
  used: CapUsage | undefined,
  nowMs: number,
): CapStanding {
  const { spentNanos = 0n, heldNanos = 0n } = used ?? {};
  const startMs = used === undefined ? periodStart(period, nowMs) : Number(used.periodStartMs);
  return { startMs, limitNanos, spentNanos, leftNanos: atLeastZero(limitNanos - spentNanos), heldNanos };
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday: 1 January 1970 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Start of the period (UTC) in which a request started, Unix milliseconds; 0 for those without an end. Weeks start on Monday. */
export function periodStart(period: CeilingPeriodLabel, startedAtMs: number): number {
  switch (period) {
    case 'day':
      return startedAtMs - (startedAtMs % DAY_MS);
    case 'week':
      return startedAtMs - ((startedAtMs - FIRST_MONDAY_MS + WEEK_MS) % WEEK_MS);
    case 'month':
      return monthStart(startedAtMs, 0);
    case 'total':
    case 'session':
      return 0;
    default:
      return period satisfies never;
  }
}

/** The first millisecond after a period; undefined for those without an end. */
export function periodEnd(period: CeilingPeriodLabel, startMs: number): number | undefined {
  switch (period) {
    case 'day':
      return startMs + DAY_MS;
    case 'week':
      return startMs + WEEK_MS;
    case 'month':
      return monthStart(startMs, 1);
    case 'total':
    case 'session':
      return undefined;
    default:
      return period satisfies never;
  }
}

function monthStart(unixMs: number, offset: number): number {
  const date = new Date(unixMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
}

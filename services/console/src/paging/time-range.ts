import type { RangeQuery } from '@tollgate/proto/console/queries';
import { UsageInterval } from '@tollgate/proto/ledger';
import { apiErrors } from '../http/api-error.ts';
import { required } from '../required.ts';
import { dayOf, isTimeZone, type RecentRange, recentStart } from './recent-ranges.ts';

const DAY_MS = 86_400_000;

/** Maximum days of a range. */
export const MAX_DAYS = { hourlySums: 31, others: 366 } as const;

/** A range as services take it: start inclusive, end exclusive, Unix milliseconds. */
export interface TimeRange {
  startMs: bigint;
  endMs: bigint;
}

/** Reads the range of a query: a recent one, or from `start` to `end`. */
export function readRange(
  { range, timeZone = 'UTC', startMs, endMs }: RangeQuery,
  maxDays: number,
  nowMs = Date.now(),
): TimeRange {
  if (!isTimeZone(timeZone)) throw apiErrors.invalid('time_zone', 'must be a time zone, such as Europe/Berlin');
  if (range !== undefined) {
    if (startMs !== undefined || endMs !== undefined)
      throw apiErrors.invalid('range', 'must not be sent with start or end');
    const recentMs = recentStart(range as RecentRange, nowMs, timeZone);
    if (nowMs - recentMs > maxDays * DAY_MS) throw apiErrors.invalid('range', `must be at most ${maxDays} days here`);
    return { startMs: BigInt(recentMs), endMs: BigInt(nowMs + 1) };
  }
  if (startMs === undefined) throw apiErrors.invalid('start', 'is required without range');
  if (endMs === undefined) throw apiErrors.invalid('end', 'is required without range');
  if (startMs < 0) throw apiErrors.invalid('start', 'must not be before 1970');
  if (endMs <= startMs) throw apiErrors.invalid('end', 'must be after start');
  if (endMs - startMs > maxDays * DAY_MS)
    throw apiErrors.invalid('start', `must be at most ${maxDays} days before end`);
  return { startMs, endMs };
}

/** Reads the range of sums by an interval. */
export function readUsageRange(query: RangeQuery | undefined, interval: UsageInterval): TimeRange {
  return readRange(required(query), interval === UsageInterval.HOUR ? MAX_DAYS.hourlySums : MAX_DAYS.others);
}

/** For names of files: the first and the last day. */
export function daysOf({ startMs, endMs }: TimeRange, timeZone = 'UTC'): string {
  return `${dayOf(Number(startMs), timeZone)}-${dayOf(Number(endMs) - 1, timeZone)}`;
}

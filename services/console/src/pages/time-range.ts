import { apiErrors } from '../http/api-error.ts';
import { renderTime } from '../render/time.ts';
import { dayOf, type RecentRange, recentStart } from './recent-ranges.ts';

const DAY_MS = 86_400_000;

/** Maximum days of a range. */
export const MAX_DAYS = { hourlySums: 31, others: 366 } as const;

/** A range as services take it: start inclusive, end exclusive, Unix milliseconds. */
export interface TimeRange {
  startMs: bigint;
  endMs: bigint;
}

/** What a query says about its range. */
export interface RangeQuery {
  range?: RecentRange | undefined;
  time_zone?: string | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

/** Reads the range of a query: a recent one, or from `start` to `end`. */
export function readRange(
  { range, time_zone: zone, start, end }: RangeQuery,
  maxDays: number,
  nowMs = Date.now(),
): TimeRange {
  if (range !== undefined) {
    if (start !== undefined || end !== undefined)
      throw apiErrors.invalid('range', 'must not be sent with start or end');
    const startMs = recentStart(range, nowMs, zone ?? 'UTC');
    if (nowMs - startMs > maxDays * DAY_MS) throw apiErrors.invalid('range', `must be at most ${maxDays} days here`);
    return { startMs: BigInt(startMs), endMs: BigInt(nowMs + 1) };
  }
  if (start === undefined) throw apiErrors.invalid('start', 'is required without range');
  if (end === undefined) throw apiErrors.invalid('end', 'is required without range');
  const startMs = Date.parse(start);
  const endMs = Date.parse(end);
  if (startMs < 0) throw apiErrors.invalid('start', 'must not be before 1970');
  if (endMs <= startMs) throw apiErrors.invalid('end', 'must be after start');
  if (endMs - startMs > maxDays * DAY_MS)
    throw apiErrors.invalid('start', `must be at most ${maxDays} days before end`);
  return { startMs: BigInt(startMs), endMs: BigInt(endMs) };
}

/** As responses have it. */
export function renderRange({ startMs, endMs }: TimeRange) {
  return { start: renderTime(startMs), end: renderTime(endMs) };
}

/** For names of files: the first and the last day. */
export function daysOf({ startMs, endMs }: TimeRange, timeZone = 'UTC'): string {
  return `${dayOf(Number(startMs), timeZone)}-${dayOf(Number(endMs) - 1, timeZone)}`;
}

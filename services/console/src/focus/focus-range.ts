import type { ExportFocusRequest } from '@tollgate/proto/console/focus';
import { apiErrors } from '../http/api-error.ts';
import { MAX_DAYS, readRange, type TimeRange } from '../paging/time-range.ts';

export const DAY_MS = 86_400_000;

/** Reads which days are exported: a month, or from `start` to `end`. Days begin at midnight in UTC. */
export function readFocusRange({ month, startMs, endMs }: ExportFocusRequest): TimeRange {
  if (month !== undefined) {
    if (startMs !== undefined || endMs !== undefined)
      throw apiErrors.invalid('month', 'must not be sent with start or end');
    const start = new Date(`${month}-01T00:00:00Z`);
    return { startMs: BigInt(start.getTime()), endMs: BigInt(nextMonth(start)) };
  }
  if (startMs === undefined) throw apiErrors.invalid('start', 'is required without month');
  if (endMs === undefined) throw apiErrors.invalid('end', 'is required without month');
  const range = readRange({ startMs, endMs }, MAX_DAYS.others);
  if (startMs % BigInt(DAY_MS) !== 0n) throw apiErrors.invalid('start', 'must be the start of a day in UTC');
  if (endMs % BigInt(DAY_MS) !== 0n) throw apiErrors.invalid('end', 'must be the start of a day in UTC');
  return range;
}

/** The start of the month after the one of a time, Unix milliseconds. */
export function nextMonth(time: Date): number {
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
}

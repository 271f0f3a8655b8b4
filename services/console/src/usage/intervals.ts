import { UsageInterval } from '@tollgate/proto/ledger';
import { MAX_DAYS, type RangeQuery, readRange, type TimeRange } from '../pages/time-range.ts';

export const INTERVALS = {
  hour: UsageInterval.HOUR,
  day: UsageInterval.DAY,
  month: UsageInterval.MONTH,
} as const;

/** Reads the range of sums by an interval. */
export function readUsageRange(query: RangeQuery & { interval: keyof typeof INTERVALS }): TimeRange {
  return readRange(query, query.interval === 'hour' ? MAX_DAYS.hourlySums : MAX_DAYS.others);
}

import { UsageInterval } from '@tollgate/proto/ledger';
import { MAX_DAYS, type OldRange, oldRange, readRange, type TimeRange } from '../paging/time-range.ts';

export const INTERVALS = {
  hour: UsageInterval.HOUR,
  day: UsageInterval.DAY,
  month: UsageInterval.MONTH,
} as const;

/** Reads the range of sums by an interval. */
export function readUsageRange(query: OldRange & { interval: keyof typeof INTERVALS }): TimeRange {
  return readRange(oldRange(query), query.interval === 'hour' ? MAX_DAYS.hourlySums : MAX_DAYS.others);
}

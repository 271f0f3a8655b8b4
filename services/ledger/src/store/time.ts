/**
 * Maximum difference between a charge's started_at_ms and the time inside its request_id. It limits where charges of a range
 * of start times can be, because they are stored and listed by request_id.
 */
export const MAX_START_SKEW_MS = 10_000;

/** Maximum time by which a request_id may be ahead of the database's clock. */
export const MAX_CLOCK_SKEW_MS = 600_000;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Longer than any charge can be late, with any settings. Whole days. */
export const MAX_LATENESS_MS = 95 * DAY_MS;

/** The first millisecond of the UTC month `offset` months after the one of a time. */
export function monthStart(unixMs: number, offset = 0): number {
  const date = new Date(unixMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
}

/** The UTC month of a time, such as `2026-11`. */
export function monthName(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 7);
}

/** A time range: start inclusive, end exclusive, Unix milliseconds. */
export interface TimeRange {
  startMs: number;
  endMs: number;
}

/** Where a page ends: the time and id of its last row. */
export interface Cursor {
  timeMs: number;
  id: string;
}

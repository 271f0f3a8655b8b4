/** The least UUIDv7 of a time: ids made at `unixMs` or later are not below it, earlier ones are. */
export function idFloor(unixMs: number): string {
  const hex = Math.max(0, Math.floor(unixMs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** How far a charge's started_at_ms may lie from the time inside its request_id. It bounds where charges of a range of
 * start times can be, as they are kept and listed by request_id. */
export const MAX_START_SKEW_MS = 10_000;

/** How far ahead of the database's clock a request_id may be. */
export const MAX_CLOCK_SKEW_MS = 600_000;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The first millisecond of the UTC month `offset` months after the one of a time. */
export function monthStart(unixMs: number, offset = 0): number {
  const date = new Date(unixMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
}

/** Start inclusive, end exclusive, Unix milliseconds. */
export interface TimeRange {
  startMs: number;
  endMs: number;
}

/** The place a page ends at: the time and the id of its last row. */
export interface Cursor {
  timeMs: number;
  id: string;
}

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

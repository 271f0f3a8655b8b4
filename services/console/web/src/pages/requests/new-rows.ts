interface Identified {
  request_id: string;
}

/** Requests that arrived since a list was loaded. */
export interface NewRows {
  count: number;
  /** Whether there may be more than were counted. */
  more: boolean;
}

/**
 * Counts the rows at the head of a list that are not in the loaded part. A long request can appear below newer ones,
 * because it is listed when it ends, by the time at which it started.
 */
export function countNew(loaded: readonly Identified[], head: readonly Identified[] | undefined): NewRows {
  if (head === undefined) return { count: 0, more: false };
  const known = new Set(loaded.map((row) => row.request_id));
  const count = head.filter((row) => !known.has(row.request_id)).length;
  return { count, more: count > 0 && count === head.length };
}

/** Rows without those that are there twice: a row can move to the next page while pages are loaded again. */
export function withoutRepeats<R extends Identified>(rows: readonly R[]): R[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    if (seen.has(row.request_id)) return false;
    seen.add(row.request_id);
    return true;
  });
}

/** The ledger broke an invariant. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Statistics of a run. */
export interface Counts {
  histories: number;
  steps: number;
  /** How often each kind of event occurred, to notice runs in which nothing happens. */
  seen: Map<string, number>;
}

export function count(counts: Counts, what: string): void {
  counts.seen.set(what, (counts.seen.get(what) ?? 0) + 1);
}

/** The ledger did something else than it promises. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
}

/** What is found of a history that a checker ran. */
export interface Counts {
  histories: number;
  steps: number;
  /** How often each kind of thing happened, so that a run in which nothing happens is seen. */
  seen: Map<string, number>;
}

export function count(counts: Counts, what: string): void {
  counts.seen.set(what, (counts.seen.get(what) ?? 0) + 1);
}

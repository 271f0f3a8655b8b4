/** How the size of settlement transactions follows what they take. */
export interface BatchBounds {
  /** Rows that a transaction may always have. */
  minRows: number;
  /** Rows that it never has more of. */
  maxRows: number;
  /** What a commit should take, milliseconds: what a charge waits for those settled with it. */
  targetMs: number;
}

/** A transaction this full tells how long one of the present size takes. */
const FULL = 0.75;
/** Half again as many rows, or half of them, at a time. */
const GROWTH = 1.5;
const SHRINKAGE = 0.5;

/**
 * The rows that the next transactions may have, after one of `rows` took `tookMs`. A transaction costs nearly the same
 * for its accounts, keys and models however many charges they share, so more rows settle faster; but all of them wait for
 * its commit, and so do other transactions of the same accounts. The size grows while full transactions end well within
 * the target, and shrinks when one exceeds it.
 */
export function nextBatchRows(present: number, rows: number, tookMs: number, bounds: BatchBounds): number {
  const next = tookMs > bounds.targetMs ? Math.min(present, rows) * SHRINKAGE : grown(present, rows, tookMs, bounds);
  return Math.round(Math.min(bounds.maxRows, Math.max(bounds.minRows, next)));
}

function grown(present: number, rows: number, tookMs: number, { targetMs }: BatchBounds): number {
  const isFull = rows >= present * FULL;
  return isFull && tookMs * GROWTH <= targetMs ? present * GROWTH : present;
}

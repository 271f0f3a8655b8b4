/** Bounds within which the size of settlement transactions adapts to their duration. */
export interface BatchBounds {
  /** A transaction may always have this many rows. */
  minRows: number;
  /** Maximum rows of a transaction. */
  maxRows: number;
  /** Target duration of a commit, milliseconds: how long a charge waits for those settled with it. */
  targetMs: number;
}

/** Only transactions filled to at least this share are evidence that larger ones are fast enough. */
const FULL = 0.75;
/** Factors of one adjustment. */
const GROWTH = 1.5;
const SHRINKAGE = 0.5;

/**
 * The maximum rows of the next transactions, after one of `rows` took `tookMs`. The cost of a transaction depends mostly
 * on its accounts, keys and models, so more rows settle faster; but all of them wait for its commit, as do other
 * transactions of the same accounts. The maximum grows while full transactions end well within the target, and shrinks
 * when one exceeds it.
 */
export function nextBatchRows(present: number, rows: number, tookMs: number, bounds: BatchBounds): number {
  const next = tookMs > bounds.targetMs ? Math.min(present, rows) * SHRINKAGE : grown(present, rows, tookMs, bounds);
  return Math.round(Math.min(bounds.maxRows, Math.max(bounds.minRows, next)));
}

function grown(present: number, rows: number, tookMs: number, { targetMs }: BatchBounds): number {
  const isFull = rows >= present * FULL;
  return isFull && tookMs * GROWTH <= targetMs ? present * GROWTH : present;
}

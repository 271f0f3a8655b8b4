/** At most one part in this many of what is left is granted beyond the need. */
const LARGEST_SHARE = 16n;

/** At most this many times the need is granted beyond it: enough that a busy session seldom asks. */
const MOST_NEEDS_AHEAD = 64n;

/** Credit of this many needs is never granted ahead, so that near the end of a balance leases are exact. */
const NEEDS_KEPT_BACK = 32n;

/**
 * How much to grant on a lease that lacks `need`: the need, plus a share of the rest that shrinks with it and is zero
 * near the end of the balance. Credit granted ahead saves calls; credit granted near the end could strand on one ingress
 * while another refuses a request.
 *
 * @param need nano-dollars, above 0
 * @param available nano-dollars no lease covers
 * @returns undefined when the need cannot be met: nothing is granted then
 */
export function grantSize(need: bigint, available: bigint): bigint | undefined {
  if (available < need) return undefined;
  const spare = available - need - NEEDS_KEPT_BACK * need;
  if (spare <= 0n) return need;
  const share = spare / LARGEST_SHARE;
  const ahead = MOST_NEEDS_AHEAD * need;
  return need + (share < ahead ? share : ahead);
}

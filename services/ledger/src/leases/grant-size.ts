/** At most one part in this many of what is left is granted beyond the need. */
const MAX_SHARE_DIVISOR = 16n;

/** At most this many times the need is granted beyond it: enough that a busy session seldom asks. */
const MAX_NEEDS_PREFETCHED = 64n;

/** Credit of this many needs is never granted ahead, so that near the end of a balance leases are exact. */
const NEEDS_RESERVED = 32n;

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
  const spare = available - need - NEEDS_RESERVED * need;
  if (spare <= 0n) return need;
  const share = spare / MAX_SHARE_DIVISOR;
  const ahead = MAX_NEEDS_PREFETCHED * need;
  return need + (share < ahead ? share : ahead);
}

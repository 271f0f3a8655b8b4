import { minBigInt } from '@tollgate/common/money';

/** At most this fraction (1/n) of the rest is granted beyond the need. */
const MAX_SHARE_DIVISOR = 16n;

/** At most this multiple of the need is granted beyond it: enough that a busy session seldom asks. */
const MAX_NEEDS_PREFETCHED = 64n;

/** This multiple of the need is never prefetched, so that leases are exact near the end of a balance. */
const NEEDS_RESERVED = 32n;

/**
 * How much to grant for a shortfall of `need`: the need, plus a share of the rest that shrinks with it and is zero near the
 * end of the balance. Prefetched credit saves calls; near the end it could strand on one ingress while another refuses a
 * request.
 *
 * @param need nano-dollars, above 0
 * @param available nano-dollars on no lease
 * @returns undefined when the need cannot be met: nothing is granted then
 */
export function grantSize(need: bigint, available: bigint): bigint | undefined {
  if (available < need) return undefined;
  const spare = available - need - NEEDS_RESERVED * need;
  if (spare <= 0n) return need;
  const share = spare / MAX_SHARE_DIVISOR;
  const maxPrefetch = MAX_NEEDS_PREFETCHED * need;
  return need + minBigInt(share, maxPrefetch);
}

import { mulberry32 } from '../../../test/support/mulberry32.ts';

/**
 * Moments at which requests begin, in milliseconds from the start: a Poisson process, as of many callers who know nothing
 * of each other. The same seed gives the same moments.
 */
export function* arrivals(ratePerSecond: number, durationMs: number, seed: number): Generator<number> {
  const random = mulberry32(seed);
  const meanGapMs = 1_000 / ratePerSecond;
  for (let at = gap(random, meanGapMs); at < durationMs; at += gap(random, meanGapMs)) yield at;
}

function gap(random: () => number, meanMs: number): number {
  return -Math.log(1 - random()) * meanMs;
}

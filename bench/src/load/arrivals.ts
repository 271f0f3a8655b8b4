import { mulberry32 } from '@tollgate/test-support/random/mulberry32';

/**
 * Start times of requests, in milliseconds: a Poisson process, like many independent callers. Deterministic for a seed.
 */
export function* arrivals(ratePerSecond: number, durationMs: number, seed: number): Generator<number> {
  const random = mulberry32(seed);
  const meanGapMs = 1_000 / ratePerSecond;
  for (let at = gap(random, meanGapMs); at < durationMs; at += gap(random, meanGapMs)) yield at;
}

function gap(random: () => number, meanMs: number): number {
  return -Math.log(1 - random()) * meanMs;
}

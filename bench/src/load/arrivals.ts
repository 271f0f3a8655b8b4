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

/** A small generator of even numbers from 0 up to 1, good enough for spacing requests. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

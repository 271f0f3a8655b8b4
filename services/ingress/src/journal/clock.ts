/** Time, passed in so that tests can set it. */
export interface Clock {
  /** Milliseconds that only ever grow, whatever happens to the wall clock. */
  monotonicMs: () => number;
  /** Unix milliseconds. */
  wallMs: () => number;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
};

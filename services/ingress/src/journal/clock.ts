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

/** A moment of both clocks. */
export interface Instant {
  monotonicMs: number;
  wallMs: number;
}

export function instantOf(clock: Clock): Instant {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

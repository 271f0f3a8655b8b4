/** A clock, passed in so that tests can set the time. */
export interface Clock {
  /** Milliseconds that never go back, whatever happens to the wall clock. */
  monotonicMs: () => number;
  /** Unix milliseconds. */
  wallMs: () => number;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
};

/** A moment by both clocks. */
export interface Instant {
  monotonicMs: number;
  wallMs: number;
}

export function instantOf(clock: Clock): Instant {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Waits after the first, second and further failed tries: eleven tries within a day. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
];

/** Up to this share of a wait is taken off by chance, so that events that failed together do not come back together. */
const JITTER = 0.1;

/**
 * How long to wait after a failed try.
 *
 * @param attempts tries so far, at least 1
 * @param random in [0, 1)
 * @returns undefined when that was the last one
 */
export function delayAfter(attempts: number, random: number): number | undefined {
  const delay = DELAYS_MS[attempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER * random));
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The days of spending that a forecast goes by. */
export const FORECAST_DAYS = 7;
/** Later ends say nothing: spending will have changed by then. */
const MAX_AHEAD_MS = 5 * 366 * DAY_MS;

/** What was spent in one hour. */
export interface HourSpending {
  startMs: number;
  nanos: bigint;
}

export interface Forecast {
  spentPerDayNanos: bigint;
  /** When nothing is left at this rate, Unix milliseconds; undefined: not within five years. */
  runsOutAtMs: number | undefined;
}

/**
 * When the balance runs out at the rate of the last days: since the first hour with spending, but over a day at least, so
 * that one busy hour of a new account is not taken for its rate.
 *
 * @param hours of the last FORECAST_DAYS, in any order
 * @returns undefined if nothing was spent
 */
export function forecast(hours: readonly HourSpending[], availableNanos: bigint, nowMs: number): Forecast | undefined {
  const spending = hours.filter(({ nanos }) => nanos > 0n);
  if (spending.length === 0) return undefined;
  const spent = spending.reduce((sum, { nanos }) => sum + nanos, 0n);
  const firstMs = Math.min(...spending.map(({ startMs }) => startMs));
  const elapsedMs = BigInt(Math.max(DAY_MS, Math.min(nowMs - firstMs, FORECAST_DAYS * DAY_MS)));
  const left = availableNanos > 0n ? availableNanos : 0n;
  const leftMs = (left * elapsedMs) / spent;
  return {
    spentPerDayNanos: (spent * BigInt(DAY_MS)) / elapsedMs,
    runsOutAtMs: leftMs > BigInt(MAX_AHEAD_MS) ? undefined : nowMs + Number(leftMs),
  };
}

const DAY_MS = 86_400_000;
/** The days of spending that a forecast goes by, today included. */
const FORECAST_DAYS = 7;
/** Later ends say nothing: spending will have changed by then. */
const MAX_AHEAD_MS = 5 * 366 * DAY_MS;

/** What was spent on one day (UTC). */
export interface DaySpending {
  startMs: number;
  nanos: bigint;
}

export interface Forecast {
  spentPerDayNanos: bigint;
  /** When nothing is left at this rate, Unix milliseconds; undefined: not within five years. */
  runsOutAtMs: number | undefined;
}

/** The start of the first day that a forecast goes by. */
export function forecastStart(nowMs: number): number {
  return nowMs - (nowMs % DAY_MS) - (FORECAST_DAYS - 1) * DAY_MS;
}

/**
 * When the balance runs out at the rate of the last days: since the first one with spending, but over 24 hours at least, so
 * that one busy hour of a new account is not taken for its rate.
 *
 * @param days since forecastStart, in any order
 * @returns undefined if nothing was spent
 */
export function forecast(days: readonly DaySpending[], availableNanos: bigint, nowMs: number): Forecast | undefined {
  const spending = days.filter(({ nanos }) => nanos > 0n);
  if (spending.length === 0) return undefined;
  const spent = spending.reduce((sum, { nanos }) => sum + nanos, 0n);
  const firstMs = Math.min(...spending.map(({ startMs }) => startMs));
  const elapsedMs = BigInt(Math.max(DAY_MS, nowMs - firstMs));
  const left = availableNanos > 0n ? availableNanos : 0n;
  const leftMs = (left * elapsedMs) / spent;
  return {
    spentPerDayNanos: (spent * BigInt(DAY_MS)) / elapsedMs,
    runsOutAtMs: leftMs > BigInt(MAX_AHEAD_MS) ? undefined : nowMs + Number(leftMs),
  };
}

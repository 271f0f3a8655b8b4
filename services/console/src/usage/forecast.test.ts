import { describe, expect, it } from 'vitest';
import { forecast, forecastStart } from './forecast.ts';

const DAY_MS = 86_400_000;
const TODAY = Date.UTC(2026, 10, 23);
const NOW = TODAY + DAY_MS / 2;

describe('forecast', () => {
  it('divides what is left by the spending since the first of the last seven days', () => {
    expect(forecastStart(NOW)).toBe(TODAY - 6 * DAY_MS);
    const days = [0, 3, 6].map((ago) => ({ startMs: TODAY - ago * DAY_MS, nanos: 13n * 10n ** 9n }));
    // 39 dollars in six and a half days.
    expect(forecast(days, 12n * 10n ** 9n, NOW)).toEqual({
      spentPerDayNanos: 6n * 10n ** 9n,
      runsOutAtMs: NOW + 2 * DAY_MS,
    });
  });

  it('does not count the days before the first spending', () => {
    const days = [
      { startMs: TODAY - 6 * DAY_MS, nanos: 0n },
      { startMs: TODAY - DAY_MS, nanos: 3_000n },
    ];
    expect(forecast(days, 4_000n, NOW)).toEqual({ spentPerDayNanos: 2_000n, runsOutAtMs: NOW + 2 * DAY_MS });
  });

  it('takes at least a day for the time of a new account', () => {
    expect(forecast([{ startMs: TODAY, nanos: 1_000n }], 500n, NOW)).toEqual({
      spentPerDayNanos: 1_000n,
      runsOutAtMs: NOW + DAY_MS / 2,
    });
  });

  it('is exact beyond the integers of a number', () => {
    const nanos = 9_007_199_254_740_993n;
    expect(forecast([{ startMs: TODAY, nanos }], nanos, NOW)).toEqual({
      spentPerDayNanos: nanos,
      runsOutAtMs: NOW + DAY_MS,
    });
  });

  it('has no end if it is far away, and is now if nothing is left', () => {
    const days = [{ startMs: TODAY, nanos: 1n }];
    expect(forecast(days, 10n ** 12n, NOW)).toEqual({ spentPerDayNanos: 1n, runsOutAtMs: undefined });
    expect(forecast(days, -5n, NOW)?.runsOutAtMs).toBe(NOW);
  });

  it('does not exist without spending', () => {
    expect(forecast([], 10n, NOW)).toBeUndefined();
    expect(forecast([{ startMs: TODAY, nanos: 0n }], 10n, NOW)).toBeUndefined();
  });
});

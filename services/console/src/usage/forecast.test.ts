import { describe, expect, it } from 'vitest';
import { forecast } from './forecast.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 10, 23, 12);

describe('forecast', () => {
  it('divides what is left by the spending of seven days', () => {
    const hours = [1, 3, 6.9].map((days) => ({ startMs: NOW - days * DAY_MS, nanos: 7n * 10n ** 9n }));
    const week = [...hours, { startMs: NOW - 7 * DAY_MS - HOUR_MS, nanos: 0n }];
    expect(forecast([...hours, { startMs: NOW - 7 * DAY_MS, nanos: 7n * 10n ** 9n }], 8n * 10n ** 9n, NOW)).toEqual({
      spentPerDayNanos: 4n * 10n ** 9n,
      runsOutAtMs: NOW + 2 * DAY_MS,
    });
    // Hours without spending do not make the time longer.
    expect(forecast(week, 10n ** 9n, NOW)?.spentPerDayNanos).toBe((21n * 10n ** 9n * 10n) / 69n);
  });

  it('takes at least a day for the time of a new account', () => {
    const first = [{ startMs: NOW - HOUR_MS, nanos: 1_000n }];
    expect(forecast(first, 500n, NOW)).toEqual({ spentPerDayNanos: 1_000n, runsOutAtMs: NOW + DAY_MS / 2 });
  });

  it('is exact beyond the integers of a number', () => {
    const nanos = 9_007_199_254_740_993n;
    expect(forecast([{ startMs: NOW - HOUR_MS, nanos }], nanos, NOW)).toEqual({
      spentPerDayNanos: nanos,
      runsOutAtMs: NOW + DAY_MS,
    });
  });

  it('has no end if it is far away, and is now if nothing is left', () => {
    const hours = [{ startMs: NOW - DAY_MS, nanos: 1n }];
    expect(forecast(hours, 10n ** 12n, NOW)).toEqual({ spentPerDayNanos: 1n, runsOutAtMs: undefined });
    expect(forecast(hours, -5n, NOW)?.runsOutAtMs).toBe(NOW);
  });

  it('does not exist without spending', () => {
    expect(forecast([], 10n, NOW)).toBeUndefined();
    expect(forecast([{ startMs: NOW, nanos: 0n }], 10n, NOW)).toBeUndefined();
  });
});

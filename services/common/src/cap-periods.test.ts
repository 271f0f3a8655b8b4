import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAP_PERIODS, periodEnd, periodStart } from './cap-periods.ts';

const HOUR = 3_600_000;
/** From the first Monday on. */
const time = fc.integer({ min: 4 * 24 * HOUR, max: Date.UTC(2100, 0, 1) });

describe('the periods of caps', () => {
  it('hold the time they are found by, and begin where the one before ends', () => {
    fc.assert(
      fc.property(time, fc.constantFrom(...CAP_PERIODS), (at, period) => {
        const start = periodStart(period, at);
        const end = periodEnd(period, start);
        expect(start).toBeLessThanOrEqual(at);
        if (end === undefined) return;
        expect(at).toBeLessThan(end);
        expect(periodStart(period, end - 1)).toBe(start);
        expect(periodStart(period, end)).toBe(end);
      }),
    );
  });

  it('turn at midnight in UTC', () => {
    const midnight = Date.UTC(2026, 2, 1);
    expect(periodStart('day', midnight - 1)).toBe(midnight - 24 * HOUR);
    expect(periodStart('day', midnight)).toBe(midnight);
    expect(periodStart('month', midnight - 1)).toBe(Date.UTC(2026, 1, 1));
    expect(periodEnd('month', Date.UTC(2026, 11, 1))).toBe(Date.UTC(2027, 0, 1));
    expect(periodStart('week', Date.UTC(2026, 10, 30) - 1)).toBe(Date.UTC(2026, 10, 23));
    expect(periodStart('week', Date.UTC(2026, 10, 30))).toBe(Date.UTC(2026, 10, 30));
    expect(periodStart('total', midnight)).toBe(0);
  });
});

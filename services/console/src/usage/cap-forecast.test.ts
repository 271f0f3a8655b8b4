import { expect, it } from 'vitest';
import { capReachedAt, type SpentInPeriod } from './cap-forecast.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 1);
const END = Date.UTC(2026, 11, 1);

/** Of a month of 30 days with a cap of 90. */
function reached(given: Partial<SpentInPeriod> & { days?: number }): number | undefined {
  const { days = 10, ...spent } = given;
  const month = { spentNanos: 30n, limitNanos: 90n, startMs: START, endMs: END, nowMs: START + days * DAY_MS };
  return capReachedAt({ ...month, ...spent });
}

it('is when the cap is reached at the pace of the period so far', () => {
  expect(reached({ spentNanos: 45n })).toBe(START + 20 * DAY_MS);
  expect(reached({ spentNanos: 89n, days: 29 })).toBe(START + Math.floor((29 * DAY_MS * 90) / 89));
});

it('is none where the period ends before, at this pace', () => {
  expect(reached({ spentNanos: 30n })).toBeUndefined();
  expect(reached({ spentNanos: 31n })).toBeLessThan(END);
  expect(reached({ spentNanos: 1n, limitNanos: 9_000_000_000_000_000_000n })).toBeUndefined();
});

it('is none while too little of the period is over', () => {
  expect(reached({ spentNanos: 80n, days: 1.49 })).toBeUndefined();
  expect(reached({ spentNanos: 80n, days: 1.5 })).toBe(START + Math.floor((1.5 * DAY_MS * 90) / 80));
  expect(reached({ spentNanos: 80n, days: -1 })).toBeUndefined();
});

it('is none where nothing is spent, or all', () => {
  expect(reached({ spentNanos: 0n })).toBeUndefined();
  expect(reached({ spentNanos: 0n, limitNanos: 0n })).toBeUndefined();
  expect(reached({ spentNanos: 90n })).toBeUndefined();
  expect(reached({ spentNanos: 120n })).toBeUndefined();
});

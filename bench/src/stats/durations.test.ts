import { expect, it } from 'vitest';
import { Durations } from './durations.ts';

it('has the quantiles of what was added, in milliseconds', () => {
  const durations = new Durations();
  for (let ms = 1; ms <= 1_000; ms += 1) durations.add(ms);
  const { count, p50, p99, p999, max } = durations.quantiles();
  expect(count).toBe(1_000);
  for (const [actual, expected] of [
    [p50, 500],
    [p99, 990],
    [p999, 999],
    [max, 1_000],
  ] as const) {
    expect(actual / expected).toBeGreaterThan(0.998);
    expect(actual / expected).toBeLessThan(1.002);
  }
});

it('distinguishes tenths of a millisecond', () => {
  const durations = new Durations();
  for (const ms of [0.1, 0.2, 0.3]) durations.add(ms);
  expect(durations.quantiles().p50).toBeCloseTo(0.2, 3);
});

it('is 0 without durations', () => {
  expect(new Durations().quantiles()).toEqual({ count: 0, p50: 0, p99: 0, p999: 0, max: 0 });
});

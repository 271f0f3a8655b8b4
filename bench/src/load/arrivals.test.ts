import { expect, it } from 'vitest';
import { arrivals } from './arrivals.ts';

it('has the given rate, in order, within the duration', () => {
  const moments = [...arrivals(1_000, 10_000, 1)];
  expect(moments.length).toBeGreaterThan(9_500);
  expect(moments.length).toBeLessThan(10_500);
  expect(moments).toEqual(moments.toSorted((a, b) => a - b));
  expect(moments.every((at) => at >= 0 && at < 10_000)).toBe(true);
});

it('has gaps like independent callers: 37 % longer than the mean', () => {
  const moments = [...arrivals(1_000, 20_000, 2)];
  const gaps = moments.slice(1).map((at, index) => at - (moments[index] ?? 0));
  const longer = gaps.filter((gap) => gap > 1).length / gaps.length;
  expect(longer).toBeGreaterThan(0.34);
  expect(longer).toBeLessThan(0.4);
});

it('repeats only with the same seed', () => {
  expect([...arrivals(100, 1_000, 7)]).toEqual([...arrivals(100, 1_000, 7)]);
  expect([...arrivals(100, 1_000, 7)]).not.toEqual([...arrivals(100, 1_000, 8)]);
});

import { expect, it } from 'vitest';
import type { GrowthPoint } from '../growth/measure.ts';
import { summariseGrowth } from './growth.ts';

function point(size: number, values: number[], proxy?: number[], unit: GrowthPoint['unit'] = 'us'): GrowthPoint {
  return { of: 'keys', size, name: 'small chat', unit, values, proxy };
}

it('compares each figure with that of the smallest size, relative to the bare proxy', () => {
  // The machine was half as fast later, as the proxy shows.
  const points = [point(10, [200], [100]), point(10_000, [420], [200]), point(1_000_000, [600], [200])];
  expect(summariseGrowth(points).map(({ smallest, growth, verdict }) => [smallest, growth, verdict])).toEqual([
    [10, null, null],
    [10, 1.05, 'flat'],
    [10, 1.5, 'grows'],
  ]);
});

it('takes a lower rate as growth', () => {
  const [, second] = summariseGrowth([point(0, [30_000], undefined, '1/s'), point(1, [15_000], undefined, '1/s')]);
  expect(second).toMatchObject({ growth: 2, verdict: 'grows' });
});

it('compares a figure that the smallest size does not have with the next larger one', () => {
  const other = { ...point(10_000, [900]), name: 'another key' };
  const figures = summariseGrowth([point(10, [200]), other, { ...other, size: 1_000_000, values: [900] }]);
  expect(figures.at(-1)).toMatchObject({ smallest: 10_000, growth: 1, verdict: 'flat' });
});

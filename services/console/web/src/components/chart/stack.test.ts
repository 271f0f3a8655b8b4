import { expect, test } from 'vitest';
import { barsBetween, colourOf, labelledBars, SERIES_COLOURS, stackedHeights } from './stack.ts';

test('heights are sums of the series below, the whole stack first', () => {
  const series = [
    { name: 'a', values: [5, 1], amounts: [5n, 1n] },
    { name: 'b', values: [2, 0], amounts: [2n, 0n] },
    { name: 'c', values: [1, 4], amounts: [1n, 4n] },
  ];
  expect(stackedHeights(series, 2)).toEqual([
    [8, 5],
    [7, 1],
    [5, 1],
  ]);
});

test('dragging chooses the bars it touches, in either direction, inside the chart', () => {
  expect(barsBetween(0.6, 2.4, 7)).toEqual({ first: 1, last: 2 });
  expect(barsBetween(2.4, 0.6, 7)).toEqual({ first: 1, last: 2 });
  expect(barsBetween(-3, 20, 7)).toEqual({ first: 0, last: 6 });
  expect(barsBetween(7.6, 9, 7)).toBeNull();
});

test('labels have room, and the last bar always has one', () => {
  expect(labelledBars(7, 700, 64)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelledBars(30, 320, 64)).toEqual([5, 11, 17, 23, 29]);
  expect(labelledBars(1, 10, 64)).toEqual([0]);
});

test('more series than colours share the last one', () => {
  const series = [...Array.from({ length: SERIES_COLOURS + 4 }, () => ({})), { isRest: true }];
  expect(colourOf(series, 0)).toBe('--series-1');
  expect(colourOf(series, SERIES_COLOURS + 3)).toBe(`--series-${SERIES_COLOURS}`);
  expect(colourOf(series, SERIES_COLOURS + 4)).toBe('--series-rest');
});

import { expect, test } from 'vitest';
import { readSort, writeSort } from './sort.ts';

test('a sort is read as it is written', () => {
  for (const sort of [
    { column: 'spent', descending: true },
    { column: 'name', descending: false },
  ]) {
    expect(readSort(writeSort(sort))).toEqual(sort);
  }
});

test('an address without a sort has none', () => {
  expect([undefined, '', '-'].map(readSort)).toEqual([null, null, null]);
});

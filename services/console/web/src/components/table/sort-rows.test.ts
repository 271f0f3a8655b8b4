import { expect, test } from 'vitest';
import { sortRows } from './sort-rows.ts';

const ROWS = [
  { name: 'b', spent: 10 },
  { name: 'a', spent: 30 },
  { name: 'c', spent: 10 },
];
const COLUMNS = [
  { id: 'name', compare: (left: (typeof ROWS)[0], right: (typeof ROWS)[0]) => left.name.localeCompare(right.name) },
  { id: 'spent', compare: (left: (typeof ROWS)[0], right: (typeof ROWS)[0]) => left.spent - right.spent },
  { id: 'status' },
];
const sorted = (column: string, descending: boolean) =>
  sortRows(ROWS, COLUMNS, { column, descending }).map(({ name }) => name);

test('rows are sorted by a column, and equal ones stay in order', () => {
  expect(sorted('name', false)).toEqual(['a', 'b', 'c']);
  expect(sorted('spent', false)).toEqual(['b', 'c', 'a']);
  expect(sorted('spent', true)).toEqual(['a', 'b', 'c']);
});

test('without a sort, or by a column that cannot be sorted, rows stay as they are', () => {
  expect(sortRows(ROWS, COLUMNS, null)).toBe(ROWS);
  expect(sortRows(ROWS, COLUMNS, { column: 'status', descending: true })).toBe(ROWS);
  expect(sortRows(ROWS, COLUMNS, { column: 'unknown', descending: true })).toBe(ROWS);
});

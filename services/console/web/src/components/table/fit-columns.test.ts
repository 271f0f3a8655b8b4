import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitColumns, type Sizes } from './fit-columns.ts';

const COLUMNS: Sizes[] = [
  { id: 'time', width: 112 },
  { id: 'name', phone: 'title' },
  { id: 'models', width: 96, grow: 1 },
  { id: 'spent', width: 120, priority: 1 },
  { id: 'menu', width: 48, priority: 0 },
];
const fitted = (width: number, sortedBy: string | null = null) =>
  fitColumns(COLUMNS, width, sortedBy).map(({ column }) => column.id);

test('the least important column goes first', () => {
  expect(fitted(536)).toEqual(['time', 'name', 'models', 'spent', 'menu']);
  expect(fitted(535)).toEqual(['time', 'name', 'spent', 'menu']);
  expect(fitted(439)).toEqual(['time', 'name', 'menu']);
});

test('the column that the rows are sorted by stays', () => {
  expect(fitted(439, 'models')).toEqual(['time', 'name', 'models', 'menu']);
});

test('what is left over is shared', () => {
  const widths = fitColumns(COLUMNS, 636, null).map(({ column, width }) => [column.id, width]);
  expect(widths).toEqual([
    ['time', 112],
    ['name', 210],
    ['models', 146],
    ['spent', 120],
    ['menu', 48],
  ]);
});

test('a name is never without room, and the table never wider than its place while anything can go', () => {
  const column = fc.record({
    width: fc.integer({ min: 40, max: 300 }),
    grow: fc.integer({ min: 0, max: 3 }),
    priority: fc.integer({ min: 0, max: 5 }),
  });
  fc.assert(
    fc.property(
      fc.array(column, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 2_000 }),
      (drawn, width) => {
        const columns = drawn.map((each, at) => ({ id: `column ${at}`, ...each }));
        const result = fitColumns(columns, width, null);
        expect(result[0]?.column).toBe(columns[0]);
        for (const each of result) expect(each.width).toBeGreaterThanOrEqual(each.column.width);
        const sum = result.reduce((total, each) => total + each.width, 0);
        const canGo = result.some((each, at) => at > 0 && each.column.priority > 0);
        if (canGo) expect(sum).toBeLessThanOrEqual(width + 1e-6);
      },
    ),
  );
});

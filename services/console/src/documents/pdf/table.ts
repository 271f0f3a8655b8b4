import { COLORS, CONTENT, type Sheet, SIZES } from './sheet.ts';

/** A column of a table, from left to right. Its cells are texts, or amounts in nano-dollars. */
export interface TableColumn<T> {
  title: string;
  /** Undefined: what the others leave. */
  width?: number;
  align?: 'left' | 'right';
  cell: (row: T) => string | bigint;
}

interface TableOptions<T> {
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  /** Decimals of amounts. */
  decimals: number;
  /** Last row, under a line: the amount in the last column. */
  total?: { label: string; nanos: bigint };
}

const GAP = 12;
const PADDING = 3.5;
const MAX_CELL_LINES = 4;

interface Placed<T> extends TableColumn<T> {
  left: number;
  wide: number;
}

/** Writes a table, which goes on at the next page under its titles. */
export function writeTable<T>(sheet: Sheet, { columns, rows, decimals, total }: TableOptions<T>): void {
  const placed = place(columns);
  writeTitles(sheet, placed);
  for (const row of rows) {
    const height = heightOf(sheet, placed, row);
    if (sheet.reserve(height)) writeTitles(sheet, placed);
    sheet.y += PADDING;
    for (const { cell, left, wide, align } of placed) {
      const value = cell(row);
      if (typeof value === 'bigint') sheet.amount(value, decimals, { right: left + wide });
      else sheet.text(value, { x: left, width: wide, align: align ?? 'left', maxLines: MAX_CELL_LINES });
    }
    sheet.y += height - PADDING;
    sheet.rule();
  }
  if (total === undefined) return;
  sheet.reserve(heightOfLine(sheet));
  sheet.y += PADDING;
  sheet.text(total.label, { font: 'strong' });
  sheet.amount(total.nanos, decimals, { right: CONTENT.right, font: 'strong' });
  sheet.y += heightOfLine(sheet) - PADDING;
}

function place<T>(columns: readonly TableColumn<T>[]): Placed<T>[] {
  const fixed = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  const free = CONTENT.width - fixed - GAP * (columns.length - 1);
  let left: number = CONTENT.left;
  return columns.map((column) => {
    const wide = column.width ?? free;
    const at = left;
    left += wide + GAP;
    return { ...column, left: at, wide };
  });
}

function writeTitles<T>(sheet: Sheet, columns: readonly Placed<T>[]): void {
  const style = { size: SIZES.small, color: COLORS.muted };
  let height = 0;
  for (const { title, left, wide, align } of columns)
    height = sheet.text(title, { x: left, width: wide, align: align ?? 'left', ...style });
  sheet.y += height + PADDING;
  sheet.rule({ color: COLORS.muted });
}

function heightOf<T>(sheet: Sheet, columns: readonly Placed<T>[], row: T): number {
  const heights = columns.map(({ cell, wide }) => {
    const value = cell(row);
    return typeof value === 'bigint' ? 0 : sheet.heightOf(value, { width: wide, maxLines: MAX_CELL_LINES });
  });
  return Math.max(heightOfLine(sheet), ...heights.map((height) => height + 2 * PADDING));
}

function heightOfLine(sheet: Sheet): number {
  return sheet.heightOf('', { width: CONTENT.width }) + 2 * PADDING;
}

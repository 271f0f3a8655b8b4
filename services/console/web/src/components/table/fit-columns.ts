/** What decides how wide a column is, and whether it has room. */
export interface Sizes {
  id: string;
  /** Pixels that it needs. By default 160, and what is left over. */
  width?: number;
  /** Its share of the pixels that no column needs. By default 1 without a width, else 0. */
  grow?: number;
  /** Columns with the highest number go first where there is no room; 0 stays. By default its place among the columns. */
  priority?: number;
  phone?: string;
}

export interface Fitted<Column> {
  column: Column;
  /** In pixels. */
  width: number;
}

const DEFAULT_WIDTH = 160;

/**
 * The columns that fit into a width, each with what it needs at least. The names of rows always stay, and the column that
 * the rows are sorted by.
 */
export function fitColumns<Column extends Sizes>(
  columns: readonly Column[],
  available: number,
  sortedBy: string | null,
): Fitted<Column>[] {
  const name = columns.find(({ phone }) => phone === 'title') ?? columns[0];
  const priorityOf = (column: Column, at: number) =>
    column === name || column.id === sortedBy ? 0 : (column.priority ?? at);
  const ranked = columns.map((column, at) => ({ column, priority: priorityOf(column, at) }));
  const going = ranked.filter(({ priority }) => priority > 0).toSorted((left, right) => right.priority - left.priority);
  const gone = new Set<Column>();
  let needed = columns.reduce((sum, column) => sum + widthOf(column), 0);
  for (const { column } of going) {
    if (needed <= available) break;
    gone.add(column);
    needed -= widthOf(column);
  }
  const left = columns.filter((column) => !gone.has(column));
  const shares = left.reduce((sum, column) => sum + growOf(column), 0);
  const spare = Math.max(0, available - needed);
  return left.map((column) => ({
    column,
    width: widthOf(column) + (shares === 0 ? 0 : (spare * growOf(column)) / shares),
  }));
}

function widthOf({ width = DEFAULT_WIDTH }: Sizes): number {
  return width;
}

function growOf({ width, grow = width === undefined ? 1 : 0 }: Sizes): number {
  return grow;
}

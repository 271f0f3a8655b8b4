import type { Sort } from '../../url/sort.ts';

interface Sortable<Row> {
  id: string;
  /** Ascending order. */
  compare?: (left: Row, right: Row) => number;
}

/** Rows in the order of a column; as given without a sort. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const compare = columns.find((column) => column.id === sort?.column)?.compare;
  if (compare === undefined || sort === null) return rows;
  return rows.toSorted(sort.descending ? (left, right) => compare(right, left) : compare);
}

import { memo } from 'react';
import { CurrentRow } from './current-row.ts';
import type { Column } from './table.tsx';

interface BodyRowProps<Row> {
  row: Row;
  id: string;
  index: number;
  columns: readonly Column<Row>[];
  isCurrent: boolean;
  isFaded: boolean;
}

/** A row. The table handles its clicks and keys, so that scrolling draws new rows only. */
function DrawnRow<Row>({ row, id, index, columns, isCurrent, isFaded }: BodyRowProps<Row>) {
  return (
    <tr data-row={id} data-faded={isFaded} tabIndex={isCurrent ? 0 : -1} aria-rowindex={index + 2}>
      <CurrentRow value={isCurrent}>
        {columns.map((column, at) => (
          <td key={column.id} data-align={column.align ?? 'start'} data-phone={phonePlace(column, at)}>
            {column.cell(row)}
          </td>
        ))}
      </CurrentRow>
    </tr>
  );
}

export const BodyRow = memo(DrawnRow) as typeof DrawnRow;

export function phonePlace<Row>(column: Column<Row>, at: number): string {
  return column.phone ?? (at === 0 ? 'title' : 'hidden');
}

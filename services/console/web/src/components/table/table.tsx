import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { keep, readKept } from '../../url/history.ts';
import type { Sort } from '../../url/sort.ts';
import { SortIcon } from '../icons.tsx';
import { Skeleton } from '../skeleton.tsx';
import { BodyRow, phonePlace } from './body-row.tsx';
import { fitColumns, type Sizes } from './fit-columns.ts';
import { rowOf, useRemovedRow, useRowFocus } from './row-focus.ts';
import { sortRows } from './sort-rows.ts';
import styles from './table.module.css';
import { useColumnsWidth } from './use-width.ts';
import { useEnd, useVisibleRows } from './windowing.ts';

/**
 * Where a column goes on a phone, where each row has two lines: `title` and `value` are left and right in the first,
 * `detail` and `end` in the second. One column for each place.
 */
type PhonePlace = 'title' | 'value' | 'detail' | 'end' | 'hidden';

export interface Column<Row> extends Sizes {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers and money are aligned at the end. */
  align?: 'start' | 'end';
  /** By default the first column is the title, and others are hidden. */
  phone?: PhonePlace;
  /** Makes the column sortable: ascending order. */
  compare?: (left: Row, right: Row) => number;
  /** The title is for screen readers only: columns of actions. */
  hideTitle?: boolean;
}

interface TableProps<Row> {
  /** What it lists, for screen readers: `Keys`. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while it loads. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** The page of a row: Enter or a click opens it. */
  href?: (row: Row) => string;
  /** Instead of a page. */
  onOpen?: (row: Row) => void;
  sort?: Sort | null;
  onSort?: (sort: Sort) => void;
  /** Loads more, when the end of the list comes near. */
  onEnd?: (() => unknown) | undefined;
  /** More rows are being loaded. */
  loadingMore?: boolean;
  /** In the place of rows, if there are none. */
  empty?: ReactNode;
  /** Dimmed, such as deleted keys. */
  isFaded?: (row: Row) => boolean;
  /** The row that has the focus first, such as one that the search found. */
  initialRow?: string;
  /** Under the rows: sums. */
  footer?: ReactNode;
}

const SKELETON_ROWS = 6;

/**
 * Dense rows of 32 px (two lines on phones). Only rows near the window are in the document, so thousands are quick. Arrow
 * keys, Home and End move between rows, Enter opens one.
 */
export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    columns: all,
    rows,
    rowId,
    sort = null,
    onSort,
    onEnd,
    loadingMore = false,
    empty,
    footer,
    initialRow,
    isFaded,
    href,
  } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const sorted = useMemo(() => sortRows(rows ?? [], all, sort), [rows, all, sort]);
  const visible = useVisibleRows(body, sorted.length);
  const [width, place] = useColumnsWidth();
  const sortedBy = sort?.column ?? null;
  const { columns, widths } = useMemo(() => shownColumns(all, width, sortedBy), [all, width, sortedBy]);
  const [left] = useState(() => readKept<string>(`row of ${label}`));
  const [current, setCurrent] = useState<string | null>(initialRow ?? left ?? null);
  const open = useOpen(props);
  const end = useEnd(onEnd);
  const positions = useMemo(() => new Map(sorted.map((row, index) => [rowId(row), index])), [sorted, rowId]);
  const currentIndex = positions.get(current ?? '') ?? 0;
  const focus = useRowFocus(body);
  const focusRow = (index: number) => {
    const at = Math.max(0, Math.min(sorted.length - 1, index));
    const row = sorted[at];
    if (row === undefined) return;
    setCurrent(rowId(row));
    visible.reveal(at);
    focus(rowId(row));
  };
  useInitialRow(positions.get(initialRow ?? ''), focusRow);
  useLeftRow(positions.has(left ?? '') ? left : undefined, focus);
  useRemovedRow(body, current, positions);
  /** Back returns to the row that was opened. */
  const keepRow = (id: string | null) => {
    if (id !== null && href !== undefined) keep(`row of ${label}`, id);
  };
  const openRow = (id: string | null, event: KeyboardEvent | MouseEvent) => {
    const row = sorted[positions.get(id ?? '') ?? -1];
    if (row !== undefined) open?.(row, event);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset['row'] === undefined) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -sorted.length, End: sorted.length };
    const step = Object.entries(steps).find(([key]) => key === event.key)?.[1];
    if (step !== undefined) {
      event.preventDefault();
      focusRow(currentIndex + step);
    } else if (event.key === 'Enter') {
      keepRow(rowOf(event.target));
      openRow(rowOf(event.target), event);
    }
  };

  if (rows !== undefined && rows.length === 0 && empty !== undefined) return empty;
  return (
    <div ref={place} className={styles['place']}>
      <table
        className={styles['table']}
        aria-label={label}
        aria-rowcount={rows === undefined ? -1 : sorted.length + 1}
        aria-busy={rows === undefined}
        data-opens={open !== null}
      >
        <colgroup>
          {columns.map((column, at) => (
            <col key={column.id} style={{ width: widths[at] }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody
          ref={body}
          onKeyDown={onKeyDown}
          onFocus={(event) => setCurrent(rowOf(event.target))}
          onClickCapture={(event) => keepRow(rowOf(event.target))}
          onClick={(event) => {
            if (!isInteractive(event) && !hasSelection()) openRow(rowOf(event.target), event);
          }}
        >
          {rows === undefined && <SkeletonRows columns={columns} />}
          {visible.before > 0 && <Spacer height={visible.before} columns={columns.length} />}
          {sorted.slice(visible.first, visible.last).map((row, offset) => {
            const index = visible.first + offset;
            return (
              <BodyRow
                key={rowId(row)}
                id={rowId(row)}
                row={row}
                index={index}
                columns={columns}
                isCurrent={index === currentIndex}
                isFaded={isFaded?.(row) ?? false}
              />
            );
          })}
          {visible.after > 0 && <Spacer height={visible.after} columns={columns.length} />}
          {loadingMore && <SkeletonRows columns={columns} />}
        </tbody>
        {footer !== undefined && <tfoot>{footer}</tfoot>}
      </table>
      <div ref={end} />
    </div>
  );
}

/** Beside the place of a table, where the padding of its cells is. */
const OUTER_PADDING = 16;

function shownColumns<Row>(columns: readonly Column<Row>[], width: number | null, sortedBy: string | null) {
  if (width === null) return { columns, widths: [] };
  const fitted = fitColumns(columns, width + OUTER_PADDING, sortedBy);
  return { columns: fitted.map(({ column }) => column), widths: fitted.map((each) => each.width) };
}

/** Focuses a row once, as soon as it has loaded. */
function useInitialRow(index: number | undefined, focusRow: (index: number) => void): void {
  const done = useRef(false);
  useEffect(() => {
    if (index === undefined || done.current) return;
    done.current = true;
    focusRow(index);
  });
}

/** Focuses the row that was opened, once, after Back. The page has scrolled to its place already. */
function useLeftRow(id: string | undefined, focus: (rowId: string) => void): void {
  const done = useRef(false);
  useEffect(() => {
    if (id === undefined || done.current) return;
    done.current = true;
    focus(id);
  });
}

type Open<Row> = (row: Row, event: KeyboardEvent | MouseEvent) => void;

/** Opens a row, in a new tab if the person asks for one. */
function useOpen<Row>({ href, onOpen }: TableProps<Row>): Open<Row> | null {
  const [, navigate] = useLocation();
  if (href === undefined && onOpen === undefined) return null;
  return (row, event) => {
    if (href === undefined) onOpen?.(row);
    else if (event.metaKey || event.ctrlKey) window.open(href(row), '_blank', 'noopener');
    else navigate(href(row));
  };
}

/** Buttons and links in a row do what they say, and do not open the row. Neither do their menus, which bubble through React. */
function isInteractive(event: MouseEvent): boolean {
  if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return true;
  return event.target.closest('a, button, input, label') !== null;
}

/** Someone selects text of a row to copy it. */
function hasSelection(): boolean {
  return (window.getSelection()?.toString() ?? '') !== '';
}

interface HeadCellProps<Row> {
  column: Column<Row>;
  sort: Sort | null;
  onSort: ((sort: Sort) => void) | undefined;
}

function HeadCell<Row>({ column, sort, onSort }: HeadCellProps<Row>) {
  const isSorted = sort?.column === column.id;
  const direction = !isSorted ? 'none' : sort.descending ? 'descending' : 'ascending';
  const isSortable = column.compare !== undefined && onSort !== undefined;
  return (
    <th scope="col" data-align={column.align ?? 'start'} {...(isSortable ? { 'aria-sort': direction } : {})}>
      {isSortable ? (
        <button
          type="button"
          className={styles['sort']}
          // Numbers first from the largest, names from A.
          onClick={() =>
            onSort({ column: column.id, descending: isSorted ? !sort.descending : column.align === 'end' })
          }
        >
          {column.title}
          {isSorted && <SortIcon descending={sort.descending} />}
        </button>
      ) : (
        <span className={column.hideTitle === true ? 'hidden' : undefined}>{column.title}</span>
      )}
    </th>
  );
}

function SkeletonRows<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
    <tr key={`skeleton ${row}`} data-skeleton="true">
      {columns.map((column, at) => (
        <td key={column.id} data-align={column.align ?? 'start'} data-phone={phonePlace(column, at)}>
          <Skeleton width={at === 0 ? '14ch' : '7ch'} />
        </td>
      ))}
    </tr>
  ));
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it cannot have the focus.
    <tr aria-hidden="true" data-spacer="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

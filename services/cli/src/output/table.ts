import Table from 'cli-table3';

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

const STYLE = { 'padding-left': 0, 'padding-right': 0, head: [], border: [] };

/** A column of a table; numbers are aligned right. */
export interface Column {
  title: string;
  align?: 'left' | 'right';
}

/** A table, or a line that says that it is empty. */
export function formatTable(columns: readonly Column[], rows: readonly string[][], whenEmpty: string): string {
  if (rows.length === 0) return `${whenEmpty}\n`;
  const table = new Table({
    head: columns.map((column) => column.title),
    colAligns: columns.map((column) => column.align ?? 'left'),
    chars: NO_LINES,
    style: STYLE,
  });
  table.push(...rows.map((row) => row.map(printable)));
  return trimLines(table.toString());
}

/** The fields of one object, one per line. */
export function formatFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const table = new Table({ chars: NO_LINES, style: STYLE });
  table.push(...fields.map(([name, value]) => [name, printable(value)]));
  return trimLines(table.toString());
}

/** Removes control characters, which users may put into names, so that they do not reach the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\u{fffd}');
}

function trimLines(text: string): string {
  return `${text.replaceAll(/ +$/gm, '')}\n`;
}

/** A value of a cell. Null: empty. */
export type Cell = string | number | boolean | null;

/** Decimal numbers, such as amounts: they need no protection, also when negative. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/** Spreadsheets run cells that begin so as formulas. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One record of CSV (RFC 4180) with its line end. An apostrophe before a text that spreadsheets would run as a formula makes
 * it text: names of keys and models come from people.
 */
export function csvRecord(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

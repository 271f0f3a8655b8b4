import type { Spread } from '../stats/compare.ts';

/** Three significant digits, or all of the integer part. */
export function number(value: number | undefined): string {
  if (value === undefined) return '';
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
  return text.replace(/\B(?=(\d{3})+$)/g, Math.abs(value) >= 1_000 ? ',' : '');
}

/** With its sign. */
export function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${number(value)}`;
}

/** From the minimum to the maximum. */
export function range({ min, max }: Spread): string {
  return `${number(min)} to ${number(max)}`;
}

/** A Markdown table, whose columns but the first are aligned to the right. */
export function table(head: string[], rows: string[][]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)];
}

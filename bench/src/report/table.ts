import type { Spread } from '../stats/compare.ts';
import type { Figure } from './figures.ts';
import type { Results } from './results.ts';

/** Goal for the longest turn of the gateway's event loop, in milliseconds. */
const LONGEST_TURN_MS = 50;

/** The results as text for humans. */
export function renderTable(results: Results): string {
  const { machine } = results;
  const head = ['', 'unit', 'tollgate', 'bare proxy', 'upstream', 'x proxy', '(rounds)', 'added', 'budget', ''];
  const rows = results.figures.map((figure) => [
    figure.name,
    figure.unit,
    number(figure.values.tollgate?.median),
    number(figure.values.proxy?.median),
    number(figure.values.upstream?.median),
    number(figure.ratio.median),
    range(figure.ratio),
    number(figure.added?.median),
    budgetText(figure),
    figure.within_budget === null ? '' : figure.within_budget ? 'within' : 'ABOVE',
  ]);
  return [
    `${machine.cores} cores of ${machine.cpu}, ${machine.memory_gib} GiB, ${machine.system}, Node ${machine.node}, ` +
      `Postgres ${machine.postgres}, Redis ${machine.redis}`,
    '',
    ...align([head, ...rows]),
    '',
    'CPU microseconds by process',
    ...align(
      Object.entries(results.cpu_by_process).map(([name, parts]) => [
        name,
        ...Object.entries(parts).map(([process, value]) => `${process} ${number(value)}`),
      ]),
    ),
    '',
    `from the end of an answer to its charge found, at half load: p50 ${number(results.lookup.p50.median)} ms ` +
      `(${range(results.lookup.p50)}), p99 ${number(results.lookup.p99.median)} ms (${range(results.lookup.p99)})`,
    ...Object.entries(results.longest_turns).map(
      ([load, ms]) => `longest wait of a health check, ${load}: ${number(ms)} ms (goal ${LONGEST_TURN_MS} ms)`,
    ),
    `first byte at ${number(results.first_byte_rate)} requests/s; ${number(results.spans_per_request)} spans a request`,
  ].join('\n');
}

function budgetText({ budget }: Figure): string {
  if (budget === undefined) return '';
  switch (budget.of) {
    case 'ratio':
      return `<= ${budget.limit} x`;
    case 'added':
      return `+ <= ${budget.limit}`;
    case 'value':
      return `<= ${budget.limit}`;
    default:
      return budget.of satisfies never;
  }
}

/** At least three significant digits. */
function number(value: number | undefined): string {
  if (value === undefined) return '';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function range({ min, max }: Spread): string {
  return `${number(min)}-${number(max)}`;
}

function align(rows: string[][]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
  }
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

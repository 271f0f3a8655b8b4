import type { Spread } from '../stats/compare.ts';
import type { Figure } from './figures.ts';
import { renderLedger } from './ledger.ts';
import type { Results, TollgateResults } from './results.ts';
import { renderFirstRequests, renderGrowth, renderSoak } from './sections.ts';
import { number, range, signed, table } from './text.ts';

/** The results of any gateway as Markdown. */
export function renderTable({ machine, figures, cpu_by_process: cpu, ...results }: Results): string {
  const installed = [
    machine.postgres === undefined ? '' : `, Postgres ${machine.postgres}`,
    machine.redis === undefined ? '' : `, Redis ${machine.redis}`,
    machine.allocator === undefined ? '' : `, allocator ${machine.allocator}`,
  ].join('');
  const rows = figures.map((figure) => [
    figure.name,
    value(figure, 'gateway'),
    value(figure, 'proxy'),
    value(figure, 'upstream'),
    comparison(figure),
    budgetText(figure),
    figure.within_budget === null ? '' : figure.within_budget ? 'within' : '**above**',
  ]);
  return [
    `${machine.cores} cores of ${machine.cpu}, ${machine.memory_gib} GiB, ${machine.system}, Node ${machine.node}${installed}; ` +
      `${results.measured_at.slice(0, 10)}, ${results.mode} mode.`,
    '',
    ...table(['', 'gateway', 'bare proxy', 'upstream', 'to the proxy (rounds)', 'budget', ''], rows),
    '',
    ...cpuTable(cpu),
  ].join('\n');
}

/** The results of Tollgate as Markdown. */
export function renderTollgate(results: TollgateResults): string {
  return [
    renderTable(results),
    '',
    ...renderFirstRequests(results.first_requests),
    ...renderGrowth(results.growth),
    ...renderSoak(results.soak),
    '```',
    renderLedger(results.ledger),
    '```',
  ].join('\n');
}

function cpuTable(cpu: Results['cpu_by_process']): string[] {
  const names = [...new Set(Object.values(cpu).flatMap((parts) => Object.keys(parts)))];
  if (names.length === 0) return [];
  const rows = Object.entries(cpu).map(([scenario, parts]) => [scenario, ...names.map((name) => number(parts[name]))]);
  return table(['CPU, us', ...names], rows);
}

function value({ values, unit }: Figure, route: 'gateway' | 'proxy' | 'upstream'): string {
  const spread = values[route];
  return spread === undefined ? '' : `${number(spread.median)} ${unit}`;
}

function comparison({ ratio, beyond, unit }: Figure): string {
  if (ratio !== undefined) return `${number(ratio.median)} x${isOne(ratio) ? '' : ` (${range(ratio)})`}`;
  if (beyond === undefined) return '';
  return `${signed(beyond.median)} ${unit}${isOne(beyond) ? '' : ` (${signed(beyond.min)} to ${signed(beyond.max)})`}`;
}

function isOne({ min, max }: Spread): boolean {
  return min === max;
}

function budgetText({ budget, unit }: Figure): string {
  if (budget === undefined) return '';
  switch (budget.of) {
    case 'ratio':
      return `${budget.limit} x`;
    case 'beyond':
      return `+${budget.limit} ${unit}`;
    case 'value':
      return `${budget.limit} ${unit}`;
    default:
      return budget.of satisfies never;
  }
}

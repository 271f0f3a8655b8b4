import { readFileSync } from 'node:fs';
import type { TollgateResults } from '@tollgate/bench/report/results';
import { renderTable } from '@tollgate/bench/report/table';
import { between } from './between.ts';

const PAGE = new URL('../operations/performance.md', import.meta.url);
const RESULTS = new URL('../../bench/results.json', import.meta.url);
const MARKS = {
  begin: '<!-- Figures of bench/results.json, written by `make docs` -->\n',
  end: '<!-- End of the figures -->\n',
};

/** Figures without a budget that an operator plans with. The benchmark prints the others, too. */
const PLANNED_WITH =
  /^(small chat, just started|small chat, each with another key|prompt of 100 KB|wrong key): CPU|^500 requests\/s: latency/;
const SCENARIOS_BY_PROCESS = ['chat', 'stream', 'low-rate', 'cold-keys'];

/** The page about performance with the figures of the last benchmark in the repository. */
export function renderPerformance(): string {
  const { before, after } = between(readFileSync(PAGE, 'utf8'), MARKS);
  const results: TollgateResults = JSON.parse(readFileSync(RESULTS, 'utf8'));
  return `${before}${MARKS.begin}\n${renderTable(forOperators(results))}\n\n${MARKS.end}${after}`;
}

function forOperators(results: TollgateResults): TollgateResults {
  return {
    ...results,
    figures: results.figures.filter(({ name, budget }) => budget !== undefined || PLANNED_WITH.test(name)),
    cpu_by_process: Object.fromEntries(
      Object.entries(results.cpu_by_process).filter(([scenario]) => SCENARIOS_BY_PROCESS.includes(scenario)),
    ),
  };
}

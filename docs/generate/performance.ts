import { readFileSync } from 'node:fs';
import type { TollgateResults } from '@tollgate/bench/report/results';
import { renderTollgate } from '@tollgate/bench/report/table';

const PAGE = new URL('../operations/performance.md', import.meta.url);
const RESULTS = new URL('../../bench/results.json', import.meta.url);
/** What the figures are between. */
const BEGIN = '<!-- Figures of bench/results.json, written by `make docs` -->\n';
const END = '<!-- End of the figures -->\n';

/** Figures without a budget that an operator plans with. The benchmark prints the others, too. */
const PLANNED_WITH =
  /^(small chat|small chat, just started|small chat, each with another key|prompt of 100 KB|wrong key): |^500 requests\/s: latency/;
const SCENARIOS_BY_PROCESS = ['chat', 'stream', 'low-rate', 'cold-keys'];

/** The page about performance with the figures of the last benchmark in the repository. */
export function renderPerformance(): string {
  const { before, after } = partsOf(readFileSync(PAGE, 'utf8'));
  const results: TollgateResults = JSON.parse(readFileSync(RESULTS, 'utf8'));
  return `${before}${BEGIN}\n${renderTollgate(forOperators(results))}\n\n${END}${after}`;
}

/** The text before and after the figures, which is written by hand. */
export function partsOf(page: string): { before: string; after: string } {
  const [before = '', rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/operations/performance.md has no figures between ${BEGIN} and ${END}`);
  return { before, after };
}

function forOperators(results: TollgateResults): TollgateResults {
  return {
    ...results,
    figures: results.figures.filter(({ name, budget }) => budget !== undefined || PLANNED_WITH.test(name)),
    cpu_by_process: Object.fromEntries(
      Object.entries(results.cpu_by_process).filter(([scenario]) => SCENARIOS_BY_PROCESS.includes(scenario)),
    ),
    // docs/operations/sizing.md has them.
    first_requests: [],
    growth: results.growth.filter(({ growth }) => growth !== null),
  };
}

import { readFileSync } from 'node:fs';
import type { TollgateResults } from '@tollgate/bench/report/results';
import { renderTollgate } from '@tollgate/bench/report/table';

const PAGE = new URL('../operations/performance.md', import.meta.url);
const RESULTS = new URL('../../bench/results.json', import.meta.url);
/** What the figures are between. */
const BEGIN = '<!-- Figures of bench/results.json, written by `make docs` -->\n';
const END = '<!-- End of the figures -->\n';

/** The page about performance with the figures of the last benchmark in the repository. */
export function renderPerformance(): string {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/operations/performance.md has no figures between ${BEGIN} and ${END}`);
  const results: TollgateResults = JSON.parse(readFileSync(RESULTS, 'utf8'));
  return `${before}${BEGIN}\n${renderTollgate(results)}\n\n${END}${after}`;
}

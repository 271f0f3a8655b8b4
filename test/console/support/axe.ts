import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The serious and critical findings of axe on a page, each with the elements at fault. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated through the debugger, which the content security policy does not restrict.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(SOURCE);
  const { violations }: AxeResults = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary ?? ''}`),
    );
}

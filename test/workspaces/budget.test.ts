import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { describe, expect, it } from 'vitest';

/*
 * What readers have time for. Cut what repeats before you raise a budget: a higher one is a decision with a reason, and its
 * commit says both. Lower it when something goes.
 */

/** Words of docs/, in one decision, and of docs/operations/performance.md without its generated figures. */
const WORDS = { all: 58_200, decision: 500, performance: 800 };
/** Rows of docs/configuration.md. */
const SETTINGS = 87;
/** TypeScript that ships or builds what ships: lines and files. */
const PRODUCT: Readonly<Record<string, { lines: number; files: number }>> = {
  bench: { lines: 4_250, files: 68 },
  'deploy/images': { lines: 120, files: 4 },
  'deploy/local': { lines: 3_100, files: 48 },
  'services/auth': { lines: 9_250, files: 151 },
  'services/cli': { lines: 3_180, files: 42 },
  'services/client-setups': { lines: 800, files: 25 },
  'services/common': { lines: 7_430, files: 98 },
  'services/console': { lines: 31_950, files: 508 },
  'services/ingress': { lines: 19_950, files: 165 },
  'services/ledger': { lines: 12_450, files: 140 },
  'services/payments': { lines: 5_470, files: 71 },
  'services/protocols': { lines: 28_200, files: 335 },
  'services/router': { lines: 4_300, files: 57 },
  'services/simulator': { lines: 8_700, files: 112 },
  'services/stripe-simulator': { lines: 4_300, files: 58 },
};
/** Lines of all tests. */
const TEST_LINES = 140_600;

const tracked = execFileSync('git', ['ls-files', '*.ts', '*.tsx', 'docs/**/*.md', 'docs/*.md'], {
  cwd: CHECKOUT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const read = (file: string) => readFileSync(join(CHECKOUT, file), 'utf8');
/** The bars of tables and the marks of lists are no words. */
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const linesOf = (files: readonly string[]) => sum(files.map((file) => read(file).split('\n').length - 1));
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const isTest = (file: string) => file.startsWith('test/') || /\.test\.tsx?$|\/testing\//.test(file);

describe('the budget of words', () => {
  const pages = tracked.filter((file) => file.endsWith('.md'));

  it('covers all pages in docs', () => {
    expect(sum(pages.map((page) => wordsOf(read(page))))).toBeLessThanOrEqual(WORDS.all);
  });

  it.each(pages.filter((page) => page.startsWith('docs/decisions/')))('covers %s', (page) => {
    expect(wordsOf(read(page))).toBeLessThanOrEqual(WORDS.decision);
  });

  it('covers docs/operations/performance.md, without its generated figures', () => {
    const page = read('docs/operations/performance.md');
    expect(wordsOf(page.replace(/<!-- Figures [\s\S]*<!-- End of the figures -->/, ''))).toBeLessThanOrEqual(
      WORDS.performance,
    );
  });
});

it('the budget of settings covers docs/configuration.md', () => {
  expect(read('docs/configuration.md').match(/^\| `/gm)?.length).toBeLessThanOrEqual(SETTINGS);
});

describe('the budget of TypeScript', () => {
  const sources = tracked.filter((file) => /\.tsx?$/.test(file));

  it.each(Object.entries(PRODUCT))('covers %s', (folder, budget) => {
    const files = sources.filter((file) => file.startsWith(`${folder}/`) && !isTest(file));
    expect(files.length).toBeLessThanOrEqual(budget.files);
    expect(linesOf(files)).toBeLessThanOrEqual(budget.lines);
  });

  it('covers all tests', () => {
    expect(linesOf(sources.filter(isTest))).toBeLessThanOrEqual(TEST_LINES);
  });
});

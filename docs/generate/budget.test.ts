import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { partsOf } from './performance.ts';

/**
 * Words that readers have time for. Cut what a page repeats before you raise one: a higher budget is a decision, and its commit
 * says the reason.
 */
const WORDS = { allPages: 62_000, decision: 500, performance: 1_200 };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (page: string) => readFileSync(`${ROOT}/${page}`, 'utf8');
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

describe('the budget of words', () => {
  it('covers all pages in docs', () => {
    const words = globSync('docs/**/*.md', { cwd: ROOT }).map((page) => wordsOf(read(page)));
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(WORDS.allPages);
  });

  it.each(globSync('docs/decisions/*.md', { cwd: ROOT }).sort())('covers %s', (page) => {
    expect(wordsOf(read(page))).toBeLessThanOrEqual(WORDS.decision);
  });

  it('covers docs/operations/performance.md, without its generated figures', () => {
    const { before, after } = partsOf(read('docs/operations/performance.md'));
    expect(wordsOf(before) + wordsOf(after)).toBeLessThanOrEqual(WORDS.performance);
  });
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderPerformance } from './performance.ts';

it('docs/operations/performance.md has the figures of bench/results.json: `make docs` writes them', () => {
  const page = new URL('../operations/performance.md', import.meta.url);
  expect(readFileSync(page, 'utf8')).toBe(renderPerformance());
});

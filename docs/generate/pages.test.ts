import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderPages } from './pages.ts';

it.each(Object.entries(renderPages()))('%s is current: `make docs` writes it', (page, text) => {
  expect(readFileSync(new URL(page, import.meta.url), 'utf8')).toBe(text);
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderConsoleApi } from './console-api.ts';

it('docs/reference/console-api.md is current: `make docs` writes it', () => {
  const page = new URL('../reference/console-api.md', import.meta.url);
  expect(readFileSync(page, 'utf8')).toBe(renderConsoleApi());
});

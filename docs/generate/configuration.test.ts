import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderConfiguration } from './configuration.ts';

it('docs/configuration.md is current: `make docs` writes it', () => {
  expect(readFileSync(new URL('../configuration.md', import.meta.url), 'utf8')).toBe(renderConfiguration());
});

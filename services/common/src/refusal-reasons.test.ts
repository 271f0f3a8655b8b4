import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REFUSAL_REASONS } from './refusal-reasons.ts';

it('are listed in docs/reference/errors.md, each once and no others', () => {
  const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## Refusals\n(.*?)^## /ms.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(documented.sort()).toEqual([...REFUSAL_REASONS].sort());
});

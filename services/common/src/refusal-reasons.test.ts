import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FAILURE_CAUSES } from './failure-causes.ts';
import { REFUSAL_REASONS } from './refusal-reasons.ts';

it.each([
  ['reasons of refusals', 'Refusals', REFUSAL_REASONS],
  ['causes of failures', 'Failed requests', FAILURE_CAUSES],
])('%s are listed in docs/reference/errors.md, each once and no others', (_, title, names) => {
  const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
  const section = page.split('\n## ').find((each) => each.startsWith(`${title}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(documented.sort()).toEqual([...names].sort());
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
const DOCS = readFileSync(join(ROOT, 'docs/reference/roles.md'), 'utf8');

/** The actions that a service records, by its sources. */
function actionsOf(service: string): string[] {
  const folder = join(ROOT, 'services', service, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g)].map(
      ([, name]) => name ?? '',
    ),
  );
}

it('names the actions of the audit log, and no others', () => {
  const section = DOCS.slice(DOCS.indexOf('## Audit log'));
  const documented = [...section.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name]) => name);
  const recorded = new Set([...actionsOf('auth'), ...actionsOf('ledger'), ...actionsOf('payments')]);
  expect([...documented].sort()).toEqual([...recorded].sort());
});

import { readFileSync } from 'node:fs';

const GUIDE = new URL('../../../docs/operations/install.md', import.meta.url);

/**
 * The SQL of the installation guide for a new Postgres, one statement each.
 *
 * @param name prefix of the database and of all logins, instead of `tollgate`
 */
export function statementsOfGuide(password: string, name = 'tollgate'): string[] {
  const block = /```sql\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const statements = block
    .replaceAll(/ *--.*$/gm, '')
    .replaceAll('…', password)
    .replaceAll('tollgate', name)
    .split(';');
  return statements.map((each) => each.trim()).filter((each) => each !== '');
}

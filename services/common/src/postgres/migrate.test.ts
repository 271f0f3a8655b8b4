import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { expect, it } from 'vitest';
import { readMigrations } from './migrate.ts';

const services = fileURLToPath(new URL('../../..', import.meta.url));

it.each(globSync('*/migrations', { cwd: services }))('%s has one file for each number', (folder) => {
  expect(readMigrations(join(services, folder)).length).toBeGreaterThan(0);
});

it.each([
  [['0001-a', '0002-b', '0002-c'], '0002-b.sql and 0002-c.sql have the same number: give the later one the next'],
  [['0001-a', '0003-c'], 'expected migration 2, found 3'],
  [['0001-a', 'b'], 'migrations are named NNNN-name.sql'],
])('migrations %j are refused', (names, problem) => {
  const { path, remove } = makeTemporaryFolder();
  for (const name of names) writeFileSync(join(path, `${name}.sql`), '');
  expect(() => readMigrations(path)).toThrow(problem);
  remove();
});

import { rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@tollgate/local';
import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { migrate, readMigrations, requireSchema } from './migrate.ts';
import { createPool } from './pool.ts';

const silent = pino({ enabled: false });

it('waits for a Postgres that is not reached yet', async () => {
  const database = await freshDatabase();
  const url = new URL(database.url);
  const { hostname, port } = url;
  const between = createServer((socket) => {
    socket.pipe(connect(Number(port), hostname)).pipe(socket);
  });
  url.hostname = '127.0.0.1';
  url.port = `${await findFreePort()}`;
  const { path, remove } = makeTemporaryFolder();
  const migrated = migrate({ databaseUrl: url.href, schema: 'waiting', folder: path }, silent);
  await delay(700);
  between.listen(Number(url.port), '127.0.0.1');
  expect(await migrated).toEqual([]);
  between.close();
  remove();
  await database.drop();
});

it('fails at once where Postgres refuses', async () => {
  const database = await freshDatabase();
  const url = new URL(database.url);
  url.pathname = '/no_such_database';
  const { path, remove } = makeTemporaryFolder();
  const refused = migrate({ databaseUrl: url.href, schema: 'refused', folder: path }, silent);
  await expect(refused).rejects.toThrow(/no_such_database/);
  remove();
  await database.drop();
});

describe('a schema made by other migrations', () => {
  const refusal =
    'schema folded was created by an incompatible version of Tollgate and cannot be upgraded: ' +
    'start over with an empty database (for `make up`: delete its data folder)';

  it('is refused in one sentence, by migrations and by services, and left as it is', async () => {
    const database = await freshDatabase();
    const pool = createPool({ url: database.url, size: 1, applicationName: 'test' }, silent);
    const { path, remove } = makeTemporaryFolder();
    const options = { databaseUrl: database.url, schema: 'folded', folder: path };
    writeFileSync(join(path, '0001-first.sql'), 'CREATE TABLE folded.a (id int);');
    writeFileSync(join(path, '0002-second.sql'), 'ALTER TABLE folded.a ADD COLUMN name text;');
    expect(await migrate(options, silent)).toEqual([1, 2]);
    expect(await migrate(options, silent)).toEqual([]);
    await requireSchema(pool, 'folded', readMigrations(path));
    // The program of the version before it runs on a newer schema.
    rmSync(join(path, '0002-second.sql'));
    expect(await migrate(options, silent)).toEqual([]);
    await requireSchema(pool, 'folded', readMigrations(path));
    writeFileSync(join(path, '0001-first.sql'), 'CREATE TABLE folded.a (id int, name text);');
    await expect(migrate(options, silent)).rejects.toThrow(refusal);
    await expect(requireSchema(pool, 'folded', readMigrations(path))).rejects.toThrow(refusal);
    expect((await pool.query('SELECT version FROM folded.migrations')).rows).toHaveLength(2);
    remove();
    await pool.end();
    await database.drop();
  });
});

import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@tollgate/local';
import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { migrate } from './migrate.ts';

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

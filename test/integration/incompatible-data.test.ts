import { oneLogin, runMigrations } from '@tollgate/local';
import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import pg from 'pg';
import { expect, it } from 'vitest';

it('names the folder to delete if the data is of an incompatible version', async () => {
  const database = await freshDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query('CREATE SCHEMA auth');
  await client.query('CREATE TABLE auth.migrations (version int PRIMARY KEY, name text, checksum text)');
  await client.query("INSERT INTO auth.migrations VALUES (1, 'other', 'other')");
  await client.end();
  await expect(runMigrations(oneLogin(database.url), process.env, '/the/data')).rejects.toThrow(
    /^\/the\/data holds data of an incompatible version of Tollgate; delete that folder to start over/,
  );
  await database.drop();
});

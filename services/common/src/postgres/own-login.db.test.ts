import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FreshDatabase, freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { executeAt } from '@tollgate/test-support/stores/postgres-server';
import { makeTemporaryFolder, type TemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { requireSchema } from './migrate.ts';
import { migrateAsOwnLogin } from './own-login.ts';
import { createPool, type Pool } from './pool.ts';

const silent = pino({ enabled: false });

let database: FreshDatabase;
let admin: Pool;
let folder: TemporaryFolder;
let logins: string[];

beforeEach(async () => {
  database = await freshDatabase();
  admin = createPool({ url: database.url, size: 1, applicationName: 'test' }, silent);
  folder = makeTemporaryFolder();
  writeFileSync(join(folder.path, '0001-first.sql'), 'CREATE SCHEMA own_archive; CREATE TABLE own.a (id int);');
  // Logins belong to the whole server.
  logins = ['a', 'b'].map((each) => `Own ${each} ${randomBytes(6).toString('hex')}`);
});

afterEach(async () => {
  await admin.end();
  await database.drop();
  const names = logins.map((each) => `"${each}"`).join(', ');
  await executeAt(inject('servers').databaseUrl, `DROP ROLE IF EXISTS ${names}`);
  folder.remove();
});

function urlOf(login = logins[0] ?? '', password = 'p/@ß:%'): string {
  const url = new URL(database.url);
  url.username = encodeURIComponent(login);
  url.password = encodeURIComponent(password);
  return url.href;
}

function migrate(databaseUrl: string, options: { adminUrl?: string; roles?: string[] } = {}): Promise<number[]> {
  const schemas = ['own', 'own_archive'];
  const own = { schema: 'own', folder: folder.path, schemas, roles: [], adminUrl: database.url };
  return migrateAsOwnLogin({ ...own, ...options, databaseUrl }, silent);
}

/** Whether a login may create schemas. */
async function mayCreate(login = logins[0]): Promise<unknown> {
  const { rows } = await admin.query("SELECT has_database_privilege($1, current_database(), 'CREATE') AS may", [login]);
  return rows[0]?.may;
}

it('creates the login with the password of its URL, and migrates as it', async () => {
  const url = urlOf();
  const pool = createPool({ url, size: 1, applicationName: 'test' }, silent);
  // The reason of a service that already waits for its schema.
  const reason = 'schema own cannot be read: password authentication failed';
  await expect(requireSchema(pool, 'own', [])).rejects.toThrow(reason);
  expect(await Promise.all([migrate(url), migrate(url)])).toEqual(expect.arrayContaining([[1], []]));
  expect((await pool.query('SELECT * FROM own.a, own.migrations')).rows).toEqual([]);
  await pool.end();
  const { rows } = await admin.query(
    "SELECT nspowner::regrole::text AS owner FROM pg_namespace WHERE nspname ~ '^own'",
  );
  expect(rows).toEqual([{ owner: `"${logins[0]}"` }, { owner: `"${logins[0]}"` }]);
  expect(await mayCreate()).toBe(false);
});

it('takes the right to create schemas away after a failed migration too, and migrates again', async () => {
  const bad = join(folder.path, '0002-second.sql');
  writeFileSync(bad, 'ALTER TABLE own.no_such_table ADD COLUMN name text;');
  await expect(migrate(urlOf())).rejects.toThrow('own/2-second failed');
  expect(await mayCreate()).toBe(false);
  rmSync(bad);
  expect(await migrate(urlOf())).toEqual([]);
});

it('closes the schema public of databases that Postgres 14 or earlier created', async () => {
  await admin.query('GRANT CREATE ON SCHEMA public TO PUBLIC');
  await migrate(urlOf());
  const { rows } = await admin.query("SELECT has_schema_privilege($1, 'public', 'CREATE') AS may", [logins[0]]);
  expect(rows).toEqual([{ may: false }]);
});

it('gives everything to the role as which a login acts, so that logins can be rotated', async () => {
  const [owner = '', second = ''] = logins;
  await migrate(urlOf());
  await admin.query(`CREATE ROLE "${second}" LOGIN PASSWORD 'second' IN ROLE "${owner}"`);
  await admin.query(`ALTER ROLE "${second}" SET role = '${owner}'`);
  writeFileSync(join(folder.path, '0002-second.sql'), 'CREATE TABLE own.b (id int);');
  expect(await migrate(urlOf(second, 'second'))).toEqual([2]);
  const { rows } = await admin.query("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'own'");
  expect(rows).toEqual([{ tableowner: owner }]);
});

it('creates no login without a password, and does not use that of the migrations', async () => {
  await expect(migrate(urlOf('nobody', ''))).rejects.toThrow('the login nobody does not exist, and its URL has no');
  await expect(migrate(database.url)).rejects.toThrow('is the login of migrations: a service needs another one');
});

it('needs no superuser: the owner of the database may create logins and hand over objects of every kind', async () => {
  const [own = '', owner = ''] = logins;
  await admin.query(`CREATE ROLE "${owner}" LOGIN CREATEROLE PASSWORD 'x'`);
  await admin.query(`GRANT pg_read_all_stats TO "${owner}" WITH ADMIN OPTION`);
  await admin.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} OWNER TO "${owner}"`);
  const adminUrl = urlOf(owner, 'x');
  await executeAt(
    adminUrl,
    `CREATE SCHEMA own; CREATE TYPE own.e AS ENUM ('x'); CREATE DOMAIN own.d AS int; CREATE SEQUENCE own.s;
     CREATE TABLE own.t (a serial, b int GENERATED ALWAYS AS IDENTITY, c own.e) PARTITION BY LIST (a);
     CREATE TABLE own.p PARTITION OF own.t DEFAULT; CREATE VIEW own.v AS SELECT FROM own.t;
     CREATE MATERIALIZED VIEW own.m AS SELECT 1 AS x; CREATE FUNCTION own.f(int) RETURNS int LANGUAGE sql AS 'SELECT 1'`,
  );
  expect(await migrate(urlOf(), { adminUrl, roles: ['pg_read_all_stats'] })).toEqual([1]);
  const { rows } = await admin.query(
    `SELECT DISTINCT owner::regrole::text FROM (
       SELECT relowner AS owner, relnamespace AS schema FROM pg_class
       UNION ALL SELECT proowner, pronamespace FROM pg_proc UNION ALL SELECT typowner, typnamespace FROM pg_type
     ) o WHERE schema = 'own'::regnamespace`,
  );
  expect(rows).toEqual([{ owner: `"${own}"` }]);
  const stats = await admin.query("SELECT pg_has_role($1, 'pg_read_all_stats', 'USAGE') AS has", [own]);
  expect(stats.rows).toEqual([{ has: true }]);
});

it('says what a superuser must do if the login of migrations may not', async () => {
  const [own = '', owner = ''] = logins;
  await admin.query(`CREATE ROLE "${owner}" LOGIN PASSWORD 'x'`);
  const adminUrl = urlOf(owner, 'x');
  await expect(migrate(urlOf(), { adminUrl })).rejects.toThrow(
    `the login of migrations may not "CREATE ROLE "${own}" LOGIN": run it as a superuser, then migrate again`,
  );
  await admin.query(`CREATE ROLE "${own}" LOGIN PASSWORD 'x'`);
  const refused = migrate(urlOf(own, 'x'), { adminUrl, roles: ['pg_read_all_stats'] });
  await expect(refused).rejects.toThrow(`may not "GRANT "${own}" TO CURRENT_USER"`);
});

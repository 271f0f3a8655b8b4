import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newId } from '@tollgate/common/ids';
import { createPool, inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { ensurePartitions } from '@tollgate/ledger/store/partitions';
import { readSettledUntil } from '@tollgate/ledger/store/settled-until';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { fundedAccount, leasingSession, settle } from '@tollgate/ledger/testing/ledger-calls';
import { MAX_AGE_MS, silent } from '@tollgate/ledger/testing/ledger-fixture';
import { CHECKOUT, oneLogin, runMigrations } from '@tollgate/local';
import { statementsOfGuide } from '@tollgate/test-support/stores/guide';
import { executeAt, urlOfDatabase } from '@tollgate/test-support/stores/postgres-server';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);

const SERVICES = ['auth', 'ledger', 'console', 'payments'] as const;
type Service = (typeof SERVICES)[number];
const SCHEMAS: Record<Service, string[]> = {
  auth: ['auth'],
  ledger: ['ledger', 'ledger_archive'],
  console: ['console'],
  payments: ['payments'],
};
const ALL_SCHEMAS = Object.values(SCHEMAS).flat();
const DENIED = { code: '42501' };

/** Prefix of the database and of all logins, which belong to the whole server. */
const name = `tollgate_${randomBytes(6).toString('hex')}`;
const password = randomBytes(12).toString('hex');
/** Pools of the owner, as services of an earlier release use it, and of each service. */
let owner: Pool;
let pools: Record<Service, Pool>;
let accountId: string;
let sessionId: string;

function urlOf(login: string): string {
  const url = new URL(urlOfDatabase(inject('servers').databaseUrl, name));
  url.username = login;
  url.password = password;
  return url.href;
}

const poolOf = (login: string) => createPool({ url: urlOf(login), size: 2, applicationName: 'test-logins' }, silent);
const loginOf = (service: Service) => `${name}_${service}`;

/** The tasks that the chart runs. */
async function migrateByCommand(): Promise<void> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  for (const service of SERVICES) {
    const urls = { DATABASE_URL: urlOf(loginOf(service)), ADMIN_DATABASE_URL: urlOf(name) };
    const env = { PATH, NODE_COMPILE_CACHE, ...urls };
    await run(process.execPath, [join(CHECKOUT, `services/${service}/src/task.ts`), 'migrate'], { env });
  }
}

/** All that exists in the schemas, with owners and privileges. */
async function inventory(): Promise<{ schema: string; owner: string; object: string; acl: string | null }[]> {
  const { rows } = await owner.query(
    `SELECT n.nspname AS schema, o.owner::regrole::text AS owner, o.object, o.acl::text AS acl
     FROM pg_namespace n, LATERAL (
       SELECT n.nspowner AS owner, 'schema' AS object, n.nspacl AS acl
       UNION ALL SELECT relowner, relkind::text || ' ' || relname, relacl FROM pg_class WHERE relnamespace = n.oid
       UNION ALL SELECT proowner, 'function ' || oid::regprocedure, proacl FROM pg_proc WHERE pronamespace = n.oid
       UNION ALL SELECT typowner, 'type ' || typname, typacl FROM pg_type WHERE typnamespace = n.oid
     ) o
     WHERE n.nspname = ANY ($1)
     UNION ALL
     SELECT '', datdba::regrole::text, 'database', datacl::text FROM pg_database WHERE datname = current_database()
     ORDER BY 1, 3`,
    [ALL_SCHEMAS],
  );
  return rows;
}

beforeAll(async () => {
  const { databaseUrl } = inject('servers');
  for (const statement of statementsOfGuide(password, name)) await executeAt(databaseUrl, statement);
  owner = poolOf(name);
  // An installation of an earlier release: one login owns everything.
  await runMigrations(oneLogin(urlOf(name)), process.env);
  await ensurePartitions(owner, Date.now(), MAX_AGE_MS, silent);
  accountId = await fundedAccount(owner, 1_000n);
  sessionId = await leasingSession(owner, accountId, 500n);
  await settle(owner, buildCharge({ accountId, sessionId }, 60n));
  await owner.query("INSERT INTO auth.accounts (account_id, name, tag) VALUES ($1, 'Ours', 'abcdef')", [accountId]);
  await owner.query(
    `INSERT INTO console.sessions (session_id, token_sha256, person_id, device, ip_address, expires_at)
     VALUES ($1, sha256('x'), $1, '', '', now())`,
    [newId()],
  );
  await migrateByCommand();
  pools = {
    auth: poolOf(loginOf('auth')),
    ledger: poolOf(loginOf('ledger')),
    console: poolOf(loginOf('console')),
    payments: poolOf(loginOf('payments')),
  };
});

afterAll(async () => {
  await Promise.all([owner, ...Object.values(pools ?? {})].map((pool) => pool.end()));
  const logins = [name, ...SERVICES.map(loginOf)];
  await executeAt(inject('servers').databaseUrl, `DROP DATABASE ${name} WITH (FORCE)`);
  await executeAt(inject('servers').databaseUrl, `DROP ROLE ${logins.join(', ')}`);
});

describe('an installation that gets a login for each service', () => {
  it('hands over everything and keeps the data', async () => {
    const objects = await inventory();
    for (const service of SERVICES) {
      const own = objects.filter(({ schema }) => SCHEMAS[service].includes(schema));
      expect(own.length).toBeGreaterThan(10);
      expect([...new Set(own.map((each) => each.owner))]).toEqual([loginOf(service)]);
    }
    const count = async (pool: Pool, table: string) => (await pool.query(`SELECT FROM ${table}`)).rowCount;
    expect(await count(pools.auth, 'auth.accounts')).toBe(1);
    expect(await count(pools.console, 'console.sessions')).toBe(1);
    expect(await count(pools.ledger, 'ledger.charges')).toBe(1);
  });

  it('works for services of both releases while they roll', async () => {
    for (const pool of [owner, pools.ledger]) {
      await settle(pool, buildCharge({ accountId, sessionId }, 10n));
    }
    await owner.query('SELECT FROM auth.accounts, console.sessions');
    const { rows } = await pools.ledger.query('SELECT available + leased AS left FROM ledger.balances');
    expect(rows).toEqual([{ left: 920n }]);
    // Lists of events see the open transactions of the other login.
    await inTransaction(owner, async (client) => {
      await client.query('UPDATE ledger.balances SET available = available');
      const until = await readSettledUntil(pools.ledger);
      await client.query('SELECT pg_sleep(0.005)');
      expect(await readSettledUntil(pools.ledger)).toBe(until);
    });
  });

  it('is left as it is by further migrations', async () => {
    const before = await inventory();
    const urls = {
      admin: urlOf(name),
      auth: urlOf(loginOf('auth')),
      ledger: urlOf(loginOf('ledger')),
      console: urlOf(loginOf('console')),
      payments: urlOf(loginOf('payments')),
    };
    await runMigrations(urls, process.env);
    expect(await inventory()).toEqual(before);
  });
});

describe('the login of a service', () => {
  it.each(SERVICES)('reads and writes nothing of other schemas: %s', async (service) => {
    const pool = pools[service];
    const others = ALL_SCHEMAS.filter((schema) => !SCHEMAS[service].includes(schema));
    const { rows } = await pool.query(
      `SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text = ANY ($1) AND relkind IN ('r', 'p', 'v', 'm', 'S')
       AND has_table_privilege(oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')`,
      [others],
    );
    expect(rows).toEqual([]);
    for (const schema of others) {
      const table = schema === 'ledger_archive' ? 'ledger_archive.planted' : `${schema}.migrations`;
      for (const statement of [`SELECT FROM ${table}`, `DELETE FROM ${table}`, `CREATE TABLE ${schema}.planted ()`])
        await expect(pool.query(statement), statement).rejects.toMatchObject(DENIED);
    }
  });

  it.each(SERVICES)('plants nothing outside of its schema, and becomes no other login: %s', async (service) => {
    const others = [name, ...SERVICES.filter((each) => each !== service).map(loginOf)];
    for (const statement of [
      'CREATE SCHEMA planted',
      'CREATE TABLE public.planted ()',
      ...others.map((login) => `SET ROLE ${login}`),
      'SET session_replication_role = replica',
    ])
      await expect(pools[service].query(statement), statement).rejects.toMatchObject(DENIED);
  });

  it.each(['charges', 'transfers'])('changes and removes no %s, though it owns them', async (table) => {
    for (const statement of [
      `UPDATE ledger.${table} SET account_id = account_id`,
      `DELETE FROM ledger.${table}`,
      `TRUNCATE ledger.${table}`,
    ])
      await expect(pools.ledger.query(statement), statement).rejects.toThrow(/never changed or removed/);
  });
});

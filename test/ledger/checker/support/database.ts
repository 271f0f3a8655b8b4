import { randomBytes } from 'node:crypto';
import { createLogger } from '@tollgate/common/logging';
import { migrate } from '@tollgate/common/postgres/migrate';
import { MIGRATIONS_FOLDER } from '@tollgate/ledger/folders';
import { ensurePartitions } from '@tollgate/ledger/store/partitions';
import { SCHEMA } from '@tollgate/ledger/store/schema';
import { UNGUARDED } from '@tollgate/ledger/testing/unguarded';
import pg from 'pg';
import { databaseTurns } from './database-turns.ts';

/** The log of everything under test; set HISTORY_LOG to a level to see it. */
export const silent = createLogger('ledger-histories', process.env['HISTORY_LOG'] ?? 'silent');

/**
 * Functions that shadow Postgres's clock functions. They return the time last set on the connection, or else the real one.
 */
const CLOCK = `
  CREATE SCHEMA virtual;
  CREATE FUNCTION virtual.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(
      to_timestamp(nullif(current_setting('virtual.now_ms', true), '')::bigint / 1000.0),
      pg_catalog.clock_timestamp())
  $$;
  CREATE FUNCTION virtual.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT virtual.clock_timestamp()';
  CREATE FUNCTION virtual.statement_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT virtual.clock_timestamp()'`;

/** Tables of one row, with their initial values if histories change them; all others are emptied. */
const BEGINNINGS = `
  UPDATE ledger.meta SET epoch = 1, epoch_since_ms = 0;
  UPDATE ledger.sweeper SET last_tick_at = NULL, quiet_until = NULL`;

/** Histories after which the space of deleted rows is reclaimed. */
const HISTORIES_PER_TRUNCATE = 40;

export interface HistoryDatabase {
  url: string;
  /** The connection of checks and of the preparation of each history; no part of the histories. */
  observer: pg.Pool;
  /** All tables of the ledger. */
  tables: readonly string[];
  /** Empties the ledger. */
  clear: () => Promise<void>;
  drop: () => Promise<void>;
}

/** Vacuuming changes the order in which Postgres finds rows, so it runs between histories only. */
const NO_AUTOVACUUM = `
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'ledger'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', name);
    END LOOP;
  END $$`;

const INT8_OID = 20;

/** A ledger in its own database, whose clock can be set. */
export async function createDatabase(serverUrl: string, nowMs: number, maxAgeMs: number): Promise<HistoryDatabase> {
  const name = `tollgate_histories_${randomBytes(8).toString('hex')}`;
  await execute(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await execute(url.href, CLOCK);
  await execute(url.href, `ALTER DATABASE ${name} SET search_path = virtual, pg_catalog, public`);
  await migrate({ databaseUrl: url.href, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
  const observer = new pg.Pool({
    connectionString: url.href,
    max: 2,
    idleTimeoutMillis: 0,
    types: { getTypeParser: (oid, format) => (oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) },
  });
  observer.on('error', () => undefined);
  databaseTurns.watch(observer);
  await ensurePartitions(observer, nowMs, maxAgeMs, silent);
  await observer.query(NO_AUTOVACUUM);
  const { rows } = await observer.query<{ name: string; lasting: boolean }>(`
    SELECT 'ledger.' || c.relname AS name,
           EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'only_row') AS lasting
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'ledger' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migrations'`);
  const emptied = rows.filter(({ lasting }) => !lasting).map(({ name: table }) => table);
  const emptyAll = emptied.map((table) => `DELETE FROM ${table}`).join('; ');
  let histories = 0;
  return {
    url: url.href,
    observer,
    tables: rows.map(({ name: table }) => table),
    clear: async () => {
      histories += 1;
      const empty = histories % HISTORIES_PER_TRUNCATE === 0 ? `TRUNCATE ${emptied.join(', ')}` : emptyAll;
      await observer.query(`${UNGUARDED} ${empty}`);
      await observer.query(BEGINNINGS);
    },
    drop: async () => {
      await observer.end();
      await execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'tollgate-histories' });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

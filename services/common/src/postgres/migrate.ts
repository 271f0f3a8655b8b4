import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logging.ts';
import type { Queryable } from './pool.ts';

/** One file of a service's migrations folder, `NNNN-name.sql`. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
  /** SHA-256 of the file, which shows that an applied migration was edited later. */
  checksum: string;
}

/** Time limits of one attempt to connect, and of all attempts. */
const CONNECT_TIMEOUT_MS = 5_000;
const CONNECT_WITHIN_MS = 30_000;
const CONNECT_PAUSE_MS = 500;

/** Error codes of Postgres: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const STARTING_UP = '57P03';
const UNDEFINED_TABLE = '42P01';

/** What to do about a database that cannot be upgraded. */
export const START_OVER = 'start over with an empty database (for `make up`: delete its data folder)';

const FILE = /^(\d{4})-([a-z0-9-]+)\.sql$/;

/** Reads a migrations folder in order of version. Numbers must run from 1 without a gap. */
export function readMigrations(folder: string): Migration[] {
  const migrations = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const match = FILE.exec(file);
      if (match === null) throw new Error(`${join(folder, file)}: migrations are named NNNN-name.sql`);
      const sql = readFileSync(join(folder, file), 'utf8');
      return {
        version: Number(match[1]),
        name: match[2] ?? '',
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    });
  migrations.forEach((migration, index) => {
    const before = migrations[index - 1];
    if (migration.version === before?.version) {
      // As two branches add them, which merge without a conflict.
      const names = [before, migration].map(({ version, name }) => `${String(version).padStart(4, '0')}-${name}.sql`);
      throw new Error(`${folder}: ${names.join(' and ')} have the same number: give the later one the next`);
    }
    if (migration.version !== index + 1)
      throw new Error(`${folder}: expected migration ${index + 1}, found ${migration.version}`);
  });
  return migrations;
}

export interface MigrateOptions {
  databaseUrl: string;
  /** The Postgres schema that the service owns; created if it is missing. */
  schema: string;
  /** Folder of NNNN-name.sql files. */
  folder: string;
}

/**
 * Migrates a schema. Runs under an advisory lock, so that several processes may start it at once; each migration is one
 * transaction with its record. By hand because node-pg-migrate keeps no checksums, by which a schema of an incompatible
 * version is refused.
 *
 * @returns the versions applied now
 */
export async function migrate(options: MigrateOptions, logger: Logger): Promise<number[]> {
  const migrations = readMigrations(options.folder);
  const client = await connect(options, logger);
  try {
    await client.query("SET lock_timeout = '60s'");
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`tollgate-migrate-${options.schema}`]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${options.schema}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${options.schema}.migrations (
         version int PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    return await applyMissing(client, options.schema, migrations, logger);
  } finally {
    await client.end();
  }
}

/**
 * Connects, with retries while Postgres is unreachable: it may be starting, and network policies allow a new pod only some
 * moments after it has started.
 */
export async function connect({ databaseUrl, schema }: MigrateOptions, logger: Logger): Promise<pg.Client> {
  const until = performance.now() + CONNECT_WITHIN_MS;
  for (;;) {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: `tollgate-migrate-${schema}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      const refused = error instanceof pg.DatabaseError && error.code !== STARTING_UP;
      if (refused || performance.now() > until) throw error;
      logger.warn({ schema, reason: messageOf(error) }, 'Postgres is not reachable yet');
    }
    await delay(CONNECT_PAUSE_MS);
  }
}

async function applyMissing(
  client: pg.Client,
  schema: string,
  migrations: Migration[],
  logger: Logger,
): Promise<number[]> {
  const applied = await appliedChecksums(client, schema);
  requireKnown(schema, migrations, applied);
  const done: number[] = [];
  for (const migration of migrations.slice(applied.length)) {
    await applyOne(client, schema, migration);
    logger.info({ schema, version: migration.version, name: migration.name }, 'migration applied');
    done.push(migration.version);
  }
  return done;
}

async function applyOne(client: pg.Client, schema: string, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(migration.sql);
    await client.query(`INSERT INTO ${schema}.migrations (version, name, checksum) VALUES ($1, $2, $3)`, [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`migration ${schema}/${migration.version}-${migration.name} failed`, { cause: error });
  }
}

/**
 * Rejects a schema that is missing, older than the program needs, or was created by other migrations. A newer one is fine,
 * because changes expand a schema before they contract it.
 *
 * @param needed the program's own migrations
 */
export async function requireSchema(db: Queryable, schema: string, needed: readonly Migration[]): Promise<void> {
  const applied = await appliedChecksums(db, schema).catch((error: unknown) => {
    const isMissing = error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE;
    const why = isMissing ? 'does not exist; run the migrations first' : `cannot be read: ${messageOf(error)}`;
    throw new Error(`schema ${schema} ${why}`, { cause: error });
  });
  requireKnown(schema, needed, applied);
  if (applied.length < needed.length)
    throw new Error(
      `schema ${schema} is at version ${applied.length}, this program needs ${needed.length}; run the migrations first`,
    );
}

/**
 * The checksums of the migrations that were applied to a schema, in order of version. One row, because a service that watches
 * its schema asks every second.
 */
async function appliedChecksums(db: Queryable, schema: string): Promise<string[]> {
  const { rows } = await db.query<{ checksums: string | null }>(
    `SELECT string_agg(checksum, ' ' ORDER BY version) AS checksums FROM ${schema}.migrations`,
  );
  return rows[0]?.checksums?.split(' ') ?? [];
}

/** Rejects a schema that other migrations than this program's created; unknown newer ones are fine. */
function requireKnown(schema: string, known: readonly Migration[], applied: readonly string[]): void {
  const areKnown = known.every(({ checksum }, index) => checksum === (applied[index] ?? checksum));
  if (areKnown) return;
  throw new Error(
    `schema ${schema} was created by an incompatible version of Tollgate and cannot be upgraded: ${START_OVER}`,
  );
}

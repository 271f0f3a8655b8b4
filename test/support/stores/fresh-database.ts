import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import '../vitest/context.ts';
import { executeAt, urlOfDatabase } from './postgres-server.ts';

export interface FreshDatabase {
  /** Connects to the new database. */
  url: string;
  /** Drops it with its open connections. */
  drop: () => Promise<void>;
}

/** Creates an empty database on the shared Postgres. */
export function freshDatabase(): Promise<FreshDatabase> {
  return copyOf('template0');
}

/** Creates an empty database with all migrations on the shared Postgres. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  const database = await copyOf(inject('servers').templateDatabase);
  // Ingresses identify a ledger by this: it must be unique.
  await executeAt(database.url, 'UPDATE ledger.meta SET database_id = gen_random_uuid()');
  return database;
}

async function copyOf(template: string): Promise<FreshDatabase> {
  const { databaseUrl } = inject('servers');
  const name = `tollgate_test_${randomBytes(8).toString('hex')}`;
  await executeAt(databaseUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const drop = () => executeAt(databaseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: urlOfDatabase(databaseUrl, name), drop };
}

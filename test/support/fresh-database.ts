import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import './context.ts';

export interface FreshDatabase {
  /** Connects to the new database. */
  url: string;
  /** Removes it, with whatever connections it still has. */
  drop: () => Promise<void>;
}

/** Makes an empty database on the shared Postgres. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const { databaseUrl } = inject('servers');
  const name = `tollgate_test_${randomBytes(8).toString('hex')}`;
  await execute(databaseUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(databaseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function execute(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tollgate-test' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

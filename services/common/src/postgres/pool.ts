import pg from 'pg';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logging.ts';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;
/** A pool or a client. */
export type Queryable = Pick<pg.Pool, 'query'>;

export interface PoolOptions {
  url: string;
  /** Maximum connections. */
  size: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Time limit of a statement. */
  statementTimeoutMs?: number;
}

const INT8_OID = 20;

/** Opens a connection pool: int8 is read as bigint, waits and statements have time limits, idle failures are logged. */
export function createPool(options: PoolOptions, logger: Logger): Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    idle_in_transaction_session_timeout: 30_000,
    types: { getTypeParser: (oid, format) => (oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) },
  });
  pool.on('error', (error) => logger.warn({ error: messageOf(error) }, 'an idle Postgres connection failed'));
  pool.on('connect', (client) => client.on('error', reportedByNextStatement));
  return pool;
}

/**
 * Ignores the loss of a connection that is checked out, which the next statement on it reports. Without a listener it would
 * end the process, and a caller that checks a connection out can add one only after Postgres may have sent the error: it may be in the
 * same packet as the end of the connection's last statement.
 */
function reportedByNextStatement(): undefined {
  return undefined;
}

/** Runs work in one transaction: committed when it returns, rolled back when it throws. */
export function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return inOwnTransaction(pool, async (client) => {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });
}

/**
 * Runs work that begins and commits a transaction itself, as pipelines do; rolled back when it throws. A connection whose
 * rollback fails is closed.
 */
export async function inOwnTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  const lost = () => {
    broken = true;
  };
  client.on('error', lost);
  try {
    return await work(client);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
    client.removeListener('error', lost);
  }
}

/** The row of a statement that always returns one. */
export function onlyRow<Row>(rows: readonly Row[], whenMissing: string): Row {
  const [row] = rows;
  if (row === undefined) throw new Error(whenMissing);
  return row;
}

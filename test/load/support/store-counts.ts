import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@tollgate/common/logging';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';

/** A backend of Postgres reports its counts within 10 s of idling. */
const POSTGRES_SETTLES_MS = 11_000;

export interface StoreCounts {
  /** Scans of the table of keys, by index or complete: the cost of key lookups. */
  keyScans: number;
  /** Commands that Redis has run, except INFO. */
  redisCommands: number;
  /** Keys in Redis. */
  redisEntries: number;
}

/** Counts the load on the stores of a running stack. */
export class StoreReader {
  readonly #pool: Pool;
  readonly #redis: RedisClient;

  constructor(databaseUrl: string, redisUrl: string) {
    const logger = createLogger('load', 'fatal');
    this.#pool = createPool({ url: databaseUrl, size: 1, applicationName: 'key-flood' }, logger);
    this.#redis = createRedis({ url: redisUrl, connectionName: 'key-flood', commandTimeoutMs: 5_000 }, logger);
  }

  /** The counts, after waiting until they are complete. */
  async read(): Promise<StoreCounts> {
    const stats = await this.#redis.info('commandstats');
    const redisEntries = await this.#redis.dbsize();
    await delay(POSTGRES_SETTLES_MS);
    const { rows } = await this.#pool.query<{ scans: bigint }>(
      `SELECT coalesce(idx_scan, 0) + seq_scan AS scans FROM pg_stat_user_tables
       WHERE schemaname = 'auth' AND relname = 'keys'`,
    );
    return { keyScans: Number(rows[0]?.scans ?? 0), redisCommands: commandsIn(stats), redisEntries };
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
    await this.#pool.end();
  }
}

/** The calls of all commands in an INFO of commandstats, except the reader's own. */
export function commandsIn(stats: string): number {
  let calls = 0;
  for (const [, name, count] of stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    if (name !== 'info' && name !== 'dbsize') calls += Number(count);
  }
  return calls;
}

import pg from 'pg';
import { type Child, startChild } from '../processes/child.ts';
import { findFreePort } from '../processes/ports.ts';
import { waitUntil } from '../processes/wait.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { findPostgresBinaries } from './binaries.ts';
import { prepareCluster, SUPERUSER } from './cluster.ts';
import { clearStalePostgres } from './stale.ts';

const START_TIMEOUT_MS = 60_000;

/** Settings that trade safety for speed, for temporary databases. */
const THROWAWAY = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'];

export interface PostgresOptions {
  /** A private folder for data and password; existing contents are reused. */
  folder: string;
  /** False for a temporary database. */
  durable: boolean;
  maxConnections?: number;
  onLine?: (line: string) => void;
  watchdog: Watchdog;
  /** The port to listen on; a free one by default. */
  port?: number;
}

export interface PostgresServer {
  /** Connects as superuser to the database `postgres`. */
  url: string;
  child: Child;
  version: string;
}

/**
 * Starts the embedded Postgres on a free loopback port, without Unix sockets, and waits until it accepts connections.
 */
export async function startPostgresServer(options: PostgresOptions): Promise<PostgresServer> {
  const binaries = findPostgresBinaries();
  const cluster = await prepareCluster({ binaries, folder: options.folder, durable: options.durable });
  await clearStalePostgres(cluster.folder);
  const port = options.port ?? (await findFreePort());
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    `max_connections=${options.maxConnections ?? 100}`,
    'log_min_messages=warning',
    ...(options.durable ? [] : THROWAWAY),
  ];
  const child = await startChild({
    name: 'postgres',
    command: binaries.postgres,
    args: ['-D', cluster.folder, ...settings.flatMap((setting) => ['-c', setting])],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    cwd: '/',
    user: cluster.user,
    // Fast shutdown: closes open connections instead of waiting for them.
    stopSignal: 'SIGINT',
    onLine: options.onLine ?? (() => undefined),
    watchdog: options.watchdog,
  });
  const url = `postgres://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/postgres`;
  try {
    await waitUntil(() => responses(url, child), {
      what: 'waiting for Postgres to answer',
      timeoutMs: START_TIMEOUT_MS,
    });
  } catch (error) {
    await child.stop(5_000);
    throw error;
  }
  return { url, child, version: binaries.version };
}

async function responses(url: string, child: Child): Promise<boolean> {
  if (child.hasEnded()) throw new Error(`Postgres ended while it started:\n${child.lastLines().join('\n')}`);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // The rejected connection reports it too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

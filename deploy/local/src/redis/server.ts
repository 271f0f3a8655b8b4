import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { type Child, startChild } from '../processes/child.ts';
import { findFreePort } from '../processes/ports.ts';
import { waitUntil } from '../processes/wait.ts';
import type { Watchdog } from '../processes/watchdog.ts';

const START_TIMEOUT_MS = 15_000;

export interface RedisOptions {
  /** Path of the `redis-server` program. */
  program: string;
  onLine?: (line: string) => void;
  watchdog: Watchdog;
  /** The port to listen on; a free one unless given. */
  port?: number;
}

export interface RedisServer {
  url: string;
  child: Child;
}

/** The `redis-server` on PATH, if there is one. */
export function findRedisServer(path = process.env['PATH'] ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'redis-server'))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a Redis on a free loopback port that keeps nothing on disk and never evicts, and waits until it answers. */
export async function startRedisServer(options: RedisOptions): Promise<RedisServer> {
  const port = options.port ?? (await findFreePort());
  const place = ['--bind', '127.0.0.1', '--port', String(port)];
  const nothingOnDisk = ['--save', '', '--appendonly', 'no'];
  const child = await startChild({
    name: 'redis',
    command: options.program,
    args: [...place, ...nothingOnDisk, '--maxmemory-policy', 'noeviction'],
    env: process.env,
    cwd: '/',
    onLine: options.onLine ?? (() => undefined),
    watchdog: options.watchdog,
  });
  try {
    await waitForRedis(port, child);
  } catch (error) {
    await child.stop(2_000);
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, child };
}

/** Waits until something on the port answers PING. */
export async function waitForRedis(port: number, child: Child): Promise<void> {
  const ask = () => {
    if (child.hasEnded()) throw new Error(`Redis ended while it started:\n${child.lastLines().join('\n')}`);
    return ping(port);
  };
  await waitUntil(ask, { what: 'waiting for Redis to answer', timeoutMs: START_TIMEOUT_MS });
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => settle(data.toString('latin1').startsWith('+PONG')));
    socket.once('error', () => settle(false));
  });
}

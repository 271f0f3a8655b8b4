import { accessSync, constants, rmSync, writeFileSync } from 'node:fs';
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
  /** The port to listen on; a free one by default. */
  port?: number;
  /** The password that clients must present; none by default. Every user of the machine can reach the port. */
  password?: string;
  /** A private folder for the password file; required with a password. */
  folder?: string;
}

export interface RedisServer {
  url: string;
  child: Child;
}

/** The path of `redis-server`, if it is on the PATH. */
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

/** Starts a Redis on a free loopback port, without persistence or eviction, and waits until it accepts connections. */
export async function startRedisServer(options: RedisOptions): Promise<RedisServer> {
  const port = options.port ?? (await findFreePort());
  const place = ['--bind', '127.0.0.1', '--port', String(port)];
  const nothingOnDisk = ['--save', '', '--appendonly', 'no'];
  const child = await startChild({
    name: 'redis',
    command: options.program,
    args: [...settingsFile(options), ...place, ...nothingOnDisk, '--maxmemory-policy', 'noeviction'],
    env: process.env,
    cwd: '/',
    onLine: options.onLine ?? (() => undefined),
    watchdog: options.watchdog,
  });
  try {
    await waitForRedis(port, child, options.password);
  } catch (error) {
    await child.stop(2_000);
    throw error;
  }
  return { url: redisUrl(port, options.password), child };
}

/** The URL of a Redis on loopback. */
export function redisUrl(port: number, password?: string): string {
  return `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
}

/** The password is passed in a private file, because every user can read the arguments of a process. */
function settingsFile({ password, folder }: RedisOptions): string[] {
  if (password === undefined) return [];
  if (folder === undefined) throw new Error('a password requires a folder');
  const file = join(folder, 'redis.conf');
  rmSync(file, { force: true });
  writeFileSync(file, `requirepass ${password}\n`, { mode: 0o600 });
  return [file];
}

/** Waits until the port responds to PING. */
export async function waitForRedis(port: number, child: Child, password?: string): Promise<void> {
  const ask = () => {
    if (child.hasEnded()) throw new Error(`Redis ended while it started:\n${child.lastLines().join('\n')}`);
    return ping(port, password);
  };
  await waitUntil(ask, { what: 'waiting for Redis to answer', timeoutMs: START_TIMEOUT_MS });
}

function ping(port: number, password: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (responded: boolean) => {
      socket.destroy();
      resolve(responded);
    };
    socket.setTimeout(1_000, () => settle(false));
    const login = password === undefined ? '' : `AUTH ${password}\r\n`;
    const expected = `${password === undefined ? '' : '+OK\r\n'}+PONG\r\n`;
    let response = '';
    socket.once('connect', () => socket.write(`${login}PING\r\n`));
    socket.on('data', (data) => {
      response += data.toString('latin1');
      if (response.length >= expected.length || !expected.startsWith(response)) settle(response === expected);
    });
    socket.once('error', () => settle(false));
  });
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer, startChild, startWatchdog, waitForRedis } from '@tollgate/local';
import { startRedisContainer } from './servers/docker.ts';
import { redisFromPackages } from './servers/local-redis.ts';

/** A Redis started with given arguments. */
export interface RedisServerProcess {
  port: number;
  url: string;
  /** Kills it; unsaved data is lost. */
  kill: () => Promise<void>;
}

export interface RedisServerOptions {
  port: number;
  /** The folder of its files. */
  folder: string;
  /** Arguments as on the command line of `redis-server`, besides port and folder. */
  args?: readonly string[];
  /** A configuration file of a Sentinel instead of arguments; port and folder are added. */
  sentinel?: string;
}

/**
 * Starts a `redis-server` with given arguments and without automatic saves, and waits until it responds. @throws Error
 * if no Redis is available
 */
export async function startRedisServerWith(options: RedisServerOptions): Promise<RedisServerProcess> {
  const { port, folder } = options;
  const args = options.sentinel === undefined ? serverArgs(options) : sentinelArgs(options, options.sentinel);
  const url = `redis://127.0.0.1:${port}`;
  const onPath = findRedisServer();
  const stopContainer = onPath === undefined ? await startRedisContainer(folder, args) : undefined;
  if (stopContainer !== undefined) return { port, url, kill: stopContainer };
  const program = onPath ?? (await installedProgram());
  const watchdog = startWatchdog();
  const lines = { onLine: () => undefined, watchdog };
  const child = await startChild({ name: 'redis', command: program, args, env: process.env, cwd: folder, ...lines });
  const kill = async () => {
    child.kill('SIGKILL');
    await child.ended;
    await watchdog.close();
  };
  try {
    await waitForRedis(port, child);
  } catch (error) {
    await kill();
    throw error;
  }
  return { port, url, kill };
}

function serverArgs({ port, folder, args = [] }: RedisServerOptions): string[] {
  return ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', ...args];
}

function sentinelArgs({ port, folder }: RedisServerOptions, text: string): string[] {
  const file = join(folder, `sentinel-${port}.conf`);
  writeFileSync(file, `bind 127.0.0.1\nport ${port}\ndir ${folder}\n${text}\n`);
  return [file, '--sentinel'];
}

async function installedProgram(): Promise<string> {
  const server = await redisFromPackages();
  await server?.stop();
  const program = findRedisServer();
  if (program === undefined) throw new Error('These tests need a redis-server on PATH, or Docker with redis:7.');
  return program;
}

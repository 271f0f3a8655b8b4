import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findRedisServer, startRedisServer, startWatchdog } from '@tollgate/local';
import type { Server } from './types.ts';

const INSTALL_TIMEOUT_MS = 180_000;
const run = promisify(execFile);

/** A Redis from the `redis-server` on PATH; undefined where there is not one. It listens on a free port unless given one. */
export async function redisOnPath(port?: number): Promise<Server | undefined> {
  const program = findRedisServer();
  return program === undefined ? undefined : startLocal(program, program, port);
}

/** The same, after the package manager installed it, where we may: as root, with apt-get. */
export async function redisFromPackages(port?: number): Promise<Server | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  process.stdout.write('Tests: no Redis found; installing redis-server with apt-get\n');
  // Its service must not start: a Redis of the machine is not ours to run.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = { env, timeout: INSTALL_TIMEOUT_MS };
  try {
    await run('apt-get', ['update', '-q'], options);
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'redis-server'], options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stdout.write(`Tests: apt-get could not install redis-server: ${reason}\n`);
    return undefined;
  }
  const program = findRedisServer();
  return program === undefined ? undefined : startLocal(program, `${program}, installed now`, port);
}

async function startLocal(program: string, origin: string, port: number | undefined): Promise<Server> {
  const watchdog = startWatchdog();
  try {
    const server = await startRedisServer({ program, watchdog, ...(port === undefined ? {} : { port }) });
    return {
      url: server.url,
      origin,
      stop: async () => {
        await server.child.stop(5_000);
        await watchdog.close();
      },
    };
  } catch (error) {
    await watchdog.close();
    throw error;
  }
}

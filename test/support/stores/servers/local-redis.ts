import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findRedisServer, startRedisServer, startWatchdog } from '@tollgate/local';
import type { Server } from './types.ts';

const INSTALL_TIMEOUT_MS = 180_000;
const run = promisify(execFile);

/** Starts `redis-server` from the PATH, on a free port by default; undefined if there is none. */
export async function redisOnPath(port?: number): Promise<Server | undefined> {
  const program = findRedisServer();
  return program === undefined ? undefined : startLocal(program, program, port);
}

/** The same after installing it with apt-get, if permitted. */
export async function redisFromPackages(port?: number): Promise<Server | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  process.stdout.write('Tests: no Redis found; installing redis-server with apt-get\n');
  // Its service must not start.
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

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { POSTGRES_MAX_CONNECTIONS, type Server } from './types.ts';

const PROBE_TIMEOUT_MS = 5_000;
const PULL_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 60_000;
/** Longer than any run of tests. */
const NO_CHECK_WITHIN_MS = 86_400_000;

const SOCKETS = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')];

/** Starts Postgres 15 in a container; undefined if Docker or the image is unavailable. */
export async function postgresInDocker(): Promise<Server | undefined> {
  const image = 'postgres:15';
  if (!(await canRun(image))) return undefined;
  const { Wait } = await import('testcontainers');
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(image)
    // The default check runs four times a second and is killed after one second. Postgres, which adopts it as the
    // container's first process, treats that as a crash of its own process and closes all connections.
    .withHealthCheck({ test: ['CMD', 'true'], interval: NO_CHECK_WITHIN_MS })
    // The first line is of the server that creates the data folder, the second of the final one.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .withCommand(['postgres', '-c', 'fsync=off', '-c', `max_connections=${POSTGRES_MAX_CONNECTIONS}`])
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
  return { url: container.getConnectionUri(), origin: `Docker (${image})`, stop: () => stopContainer(container) };
}

/**
 * Starts Redis 7 in a container; undefined if Docker or the image is unavailable. @param port of this machine; chosen
 * by Docker by default
 */
export async function redisInDocker(port?: number): Promise<Server | undefined> {
  const image = 'redis:7';
  if (!(await canRun(image))) return undefined;
  const { GenericContainer } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withExposedPorts(port === undefined ? 6379 : { container: 6379, host: port })
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
  const url = `redis://${container.getHost()}:${container.getMappedPort(6379)}`;
  return { url, origin: `Docker (${image})`, stop: () => stopContainer(container) };
}

/**
 * Starts Redis 7 with given arguments, in a container on the host network.
 *
 * @param folder of this machine, with the same path in the container
 * @returns a function that stops it; undefined if Docker or the image is unavailable
 */
export async function startRedisContainer(
  folder: string,
  args: readonly string[],
): Promise<(() => Promise<void>) | undefined> {
  const image = 'redis:7';
  if (!(await canRun(image))) return undefined;
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withNetworkMode('host')
    .withBindMounts([{ source: folder, target: folder }])
    .withUser(`${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
    // The image's own entry point would run it as a user who may not have access to the folder.
    .withEntrypoint(['redis-server'])
    .withCommand([...args])
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections|Sentinel ID is/))
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
  return async () => {
    await container.stop({ timeout: 0 });
  };
}

async function stopContainer(container: { stop: (options: { timeout: number }) => Promise<unknown> }): Promise<void> {
  await container.stop({ timeout: 5_000 });
}

/** Whether Docker responds and has the image, after pulling it if necessary. Every step has a timeout. */
async function canRun(image: string): Promise<boolean> {
  if (process.env['DOCKER_HOST'] === undefined && !SOCKETS.some((socket) => existsSync(socket))) return false;
  // The reaper of testcontainers needs another image, which may be missing; containers are stopped explicitly.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] ??= 'true';
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  const client = await inTime(getContainerRuntimeClient(), PROBE_TIMEOUT_MS);
  if (client === undefined) return false;
  const name = ImageName.fromString(image);
  if ((await inTime(client.image.exists(name), PROBE_TIMEOUT_MS)) === true) return true;
  process.stdout.write(`Tests: Docker has no ${image}; pulling it (at most ${PULL_TIMEOUT_MS / 1_000} s)\n`);
  await inTime(client.image.pull(name), PULL_TIMEOUT_MS);
  return (await inTime(client.image.exists(name), PROBE_TIMEOUT_MS)) === true;
}

/** The response, or undefined if it is late or an error: Docker then counts as unavailable. */
async function inTime<T>(response: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  const timer = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([response.catch(() => undefined), late]);
  } finally {
    timer.abort();
  }
}

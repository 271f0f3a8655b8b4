import { postgresInDocker, redisInDocker } from './docker.ts';
import { embeddedPostgres } from './embedded-postgres.ts';
import { redisFromPackages, redisOnPath } from './local-redis.ts';
import type { Server } from './types.ts';

/** Finds a Postgres: the one of DATABASE_URL, one in Docker, the embedded one. */
export async function findPostgres(env: NodeJS.ProcessEnv): Promise<Server> {
  return given('DATABASE_URL', env) ?? (await postgresInDocker()) ?? (await embeddedPostgres());
}

/**
 * Finds a Redis: the one of REDIS_URL, one in Docker, the `redis-server` on PATH, the same once installed.
 *
 * @throws Error when there is none: tests are never skipped for lack of a server
 */
export async function findRedis(env: NodeJS.ProcessEnv): Promise<Server> {
  const found =
    given('REDIS_URL', env) ?? (await redisInDocker()) ?? (await redisOnPath()) ?? (await redisFromPackages());
  return found ?? noRedis('Set REDIS_URL, start Docker');
}

/**
 * Starts a Redis that no other test uses, at this port: REDIS_URL is not for such tests.
 *
 * @throws Error when there is not one
 */
export async function startOwnRedis(port: number): Promise<Server> {
  const found = (await redisOnPath(port)) ?? (await redisInDocker(port)) ?? (await redisFromPackages(port));
  return found ?? noRedis('Start Docker');
}

function noRedis(orElse: string): never {
  throw new Error(
    `These tests need a real Redis and found none. ${orElse}, or install redis-server ` +
      '(Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis).',
  );
}

function given(variable: string, env: NodeJS.ProcessEnv): Server | undefined {
  const url = env[variable];
  if (url === undefined || url === '') return undefined;
  return { url, origin: variable, stop: () => Promise.resolve() };
}

import { postgresInDocker, redisInDocker } from './docker.ts';
import { embeddedPostgres } from './embedded-postgres.ts';
import { redisFromPackages, redisOnPath } from './local-redis.ts';
import type { Server } from './types.ts';

/** Finds a Postgres: of DATABASE_URL, in Docker, or the embedded one. */
export async function findPostgres(env: NodeJS.ProcessEnv): Promise<Server> {
  return given('DATABASE_URL', env) ?? (await postgresInDocker()) ?? (await embeddedPostgres());
}

/**
 * Finds a Redis: of REDIS_URL, in Docker, `redis-server` on the PATH, or after installing that.
 *
 * @throws Error if there is none: tests are never skipped because a server is missing
 */
export async function findRedis(env: NodeJS.ProcessEnv): Promise<Server> {
  const found =
    given('REDIS_URL', env) ?? (await redisInDocker()) ?? (await redisOnPath()) ?? (await redisFromPackages());
  return found ?? noRedis('Set REDIS_URL, start Docker');
}

/** Starts a Redis for one test at this port; never uses REDIS_URL. @throws Error if there is none */
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

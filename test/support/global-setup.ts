import type { TestProject } from 'vitest/node';
import './context.ts';
import { findPostgres, findRedis } from './servers/find.ts';

/** Finds or starts the Postgres and the Redis that all integration tests share, and stops what it started. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const starting = [findPostgres(process.env), findRedis(process.env)] as const;
  const stop = async () => {
    const servers = await Promise.allSettled(starting);
    await Promise.all(servers.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)));
  };
  try {
    const [postgres, redis] = await Promise.all(starting);
    process.stdout.write(`Tests use Postgres from ${postgres.origin} and Redis from ${redis.origin}.\n`);
    project.provide('servers', { databaseUrl: postgres.url, redisUrl: redis.url });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

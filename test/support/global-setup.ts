import type { TestProject } from 'vitest/node';
import './context.ts';
import { findPostgres, findRedis } from './servers/find.ts';

/** Finds or starts the Postgres and the Redis that all integration tests share, and stops what it started. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await findPostgres(process.env);
  try {
    const redis = await findRedis(process.env);
    process.stdout.write(`Tests use Postgres from ${postgres.origin} and Redis from ${redis.origin}.\n`);
    project.provide('servers', { databaseUrl: postgres.url, redisUrl: redis.url });
    return async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

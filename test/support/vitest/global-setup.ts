import type { TestProject } from 'vitest/node';
import './context.ts';
import { findPostgres, findRedis } from '../stores/servers/find.ts';
import { makeTemplateDatabase, type TemplateDatabase } from '../stores/template-database.ts';

/** Finds or starts the Postgres and Redis of all integration tests, and stops what it started. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const starting = [findPostgres(process.env), findRedis(process.env)] as const;
  let template: TemplateDatabase | undefined;
  const stop = async () => {
    await template?.drop();
    const servers = await Promise.allSettled(starting);
    await Promise.all(servers.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)));
  };
  try {
    const [postgres, redis] = await Promise.all(starting);
    process.stdout.write(`Tests use Postgres from ${postgres.origin} and Redis from ${redis.origin}.\n`);
    template = await makeTemplateDatabase(postgres.url);
    const servers = { databaseUrl: postgres.url, templateDatabase: template.name, redisUrl: redis.url };
    project.provide('servers', servers);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

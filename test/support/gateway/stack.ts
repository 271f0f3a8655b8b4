import { type Stack, type StackOptions, startStack as startLocalStack } from '@tollgate/local';
import { migratedDatabase } from '../stores/fresh-database.ts';
import { redisUrl } from '../stores/redis-url.ts';

export type { Stack, StackOptions };

/**
 * Starts all services as real processes with a new database and the shared Redis, unless the options name others. Drops
 * the database when the stack stops.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const database = options.databaseUrl === undefined ? await migratedDatabase() : undefined;
  const redis = options.redis ?? redisUrl();
  try {
    const stack = await startLocalStack({
      redis,
      ...options,
      ...(database && { databaseUrl: database.url, migrated: true }),
    });
    const stop = async () => {
      await stack.stop();
      await database?.drop();
    };
    return { ...stack, stop };
  } catch (error) {
    await database?.drop();
    throw error;
  }
}

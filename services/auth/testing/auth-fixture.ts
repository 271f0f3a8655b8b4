import { once } from 'node:events';
import { KeyCache } from '@tollgate/common/keys/index';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { AuthUnderTest, silent } from './auth-under-test.ts';

/** An auth service on a database of its own, and the stores behind it. */
export interface AuthFixture {
  auth: AuthUnderTest;
  databaseUrl: string;
  pool: Pool;
  redis: RedisClient;
  /** The same entries of Redis as those of the service. */
  cache: KeyCache;
  stop: () => Promise<void>;
}

/** Starts auth on an empty database. Settings are those of the environment. */
export async function startAuth(settings: Record<string, string> = {}): Promise<AuthFixture> {
  const database = await migratedDatabase();
  const auth = await AuthUnderTest.start({ DATABASE_URL: database.url, REDIS_URL: redisUrl(), ...settings });
  const pool = createPool({ url: database.url, size: 3, applicationName: 'test' }, silent);
  const redis = createRedis({ url: redisUrl(), connectionName: 'test', commandTimeoutMs: 5_000 }, silent);
  if (redis.status !== 'ready') await once(redis, 'ready');
  const stop = async () => {
    redis.disconnect();
    await pool.end();
    await auth.stop();
    await database.drop();
  };
  return { auth, databaseUrl: database.url, pool, redis, cache: new KeyCache(redis), stop };
}

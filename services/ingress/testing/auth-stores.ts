import { AuthUnderTest, silent } from '@tollgate/auth/testing/auth-under-test';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { type OwnRedis, startRedis } from '@tollgate/test-support/stores/own-redis';

/** The stores of auth, which a test can stop, restore and query. */
export interface AuthStores {
  database: FreshDatabase;
  pool: Pool;
  redis: OwnRedis;
  /** Starts an auth on these stores. */
  startAuth: (trustMs: number) => Promise<AuthUnderTest>;
  close: () => Promise<void>;
}

/** Creates a database and starts a Redis. */
export async function openAuthStores(): Promise<AuthStores> {
  const database = await migratedDatabase();
  const redis = await startRedis();
  const pool = createPool({ url: database.url, size: 2, applicationName: 'test' }, silent);
  return {
    database,
    pool,
    redis,
    startAuth: (trustMs) =>
      AuthUnderTest.start({ DATABASE_URL: database.url, REDIS_URL: redis.url, TRUST_MS: String(trustMs) }),
    close: async () => {
      await pool.end();
      await redis.stop();
      await database.drop();
    },
  };
}

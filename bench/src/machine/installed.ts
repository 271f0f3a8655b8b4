import { createLogger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import { createRedis } from '@tollgate/common/redis/client';

/** Versions of the stack's stores. */
export interface Stores {
  postgres: string;
  redis: string;
}

const logger = createLogger('bench', 'fatal');

export async function describeStores(databaseUrl: string, redisUrl: string): Promise<Stores> {
  const [postgres, redis] = await Promise.all([postgresVersion(databaseUrl), redisVersion(redisUrl)]);
  return { postgres, redis };
}

async function postgresVersion(url: string): Promise<string> {
  const pool = createPool({ url, size: 1, applicationName: 'tollgate-bench' }, logger);
  try {
    const { rows } = await pool.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  } finally {
    await pool.end();
  }
}

/** A server without a version is the stand-in. */
async function redisVersion(url: string): Promise<string> {
  const redis = createRedis({ url, connectionName: 'tollgate-bench', commandTimeoutMs: 2_000 }, logger);
  try {
    await new Promise<void>((resolve, reject) => {
      redis.once('ready', () => resolve());
      redis.once('error', reject);
    });
    const info = await redis.info('server').catch(() => '');
    return /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'stand-in';
  } finally {
    redis.disconnect();
  }
}

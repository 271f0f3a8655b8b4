import { readFileSync } from 'node:fs';
import { createLogger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import { createRedis } from '@tollgate/common/redis/client';
import type { Facts } from '@tollgate/local';

/** What a stack uses of this machine. */
export interface Installed {
  /** Versions. */
  postgres: string;
  redis: string;
  /** The allocator of the ingress; `system` is the C library's. */
  allocator: 'mimalloc' | 'system';
}

const logger = createLogger('bench', 'fatal');

export async function describeInstalled({ database_url: database, redis_url: redis, pids }: Facts): Promise<Installed> {
  const ingress = pids['ingress'];
  if (ingress === undefined) throw new Error('the stack has no process id of the ingress');
  return {
    postgres: await postgresVersion(database),
    redis: await redisVersion(redis),
    allocator: readFileSync(`/proc/${ingress}/maps`, 'utf8').includes('/libmimalloc.so') ? 'mimalloc' : 'system',
  };
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

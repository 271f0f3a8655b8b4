import { Cluster, Redis } from 'ioredis';
import type { Logger } from '../logging.ts';

/** A client of one server or of a Redis Cluster. */
export type RedisClient = Redis | Cluster;

export interface RedisOptions {
  /**
   * `redis://` or `rediss://` URL; for a Redis Cluster several node URLs parted by commas, or one with `?cluster=true`.
   */
  url: string;
  connectionName: string;
  /** Longest a command may take before it counts as failed. */
  commandTimeoutMs: number;
}

/**
 * Opens a Redis client that fails fast: commands are refused while it is not connected, are not repeated, and have a
 * time limit. It reconnects by itself for as long as it is open, at most two seconds apart.
 */
export function createRedis(options: RedisOptions, logger: Logger): RedisClient {
  const retry = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000);
  const redisOptions = {
    connectionName: options.connectionName,
    commandTimeout: options.commandTimeoutMs,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
  };
  const urls = options.url.split(',');
  const isCluster = urls.length > 1 || new URL(urls[0] ?? '').searchParams.get('cluster') === 'true';
  const client: RedisClient = isCluster
    ? new Cluster(urls, { redisOptions, enableOfflineQueue: false, clusterRetryStrategy: retry })
    : new Redis(options.url, { ...redisOptions, retryStrategy: retry });
  let reported = false;
  client.on('error', (error: Error) => {
    if (!reported) logger.warn({ err: { message: error.message } }, 'Redis is out of reach');
    reported = true;
  });
  client.on('ready', () => {
    if (reported) logger.info('Redis is back');
    reported = false;
  });
  return client;
}

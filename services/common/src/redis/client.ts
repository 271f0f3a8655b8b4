import { Cluster, Redis } from 'ioredis';
import type { Logger } from '../logging.ts';
import { readRedisAddress } from './address.ts';

/** A client of one server, of the one that Sentinels name, or of a Redis Cluster. */
export type RedisClient = Redis | Cluster;

export interface RedisOptions {
  /** Where Redis is, in one of the forms of `readRedisAddress`. */
  url: string;
  connectionName: string;
  /** Longest a command may take before it counts as failed. */
  commandTimeoutMs: number;
}

/**
 * Opens a Redis client that fails fast: commands are refused while it is not connected, are not repeated, and have a
 * time limit. It reconnects for as long as it is open, at most two seconds apart, and follows a failover. Only on
 * a Redis Cluster a command whose node has gone is tried once more or twice, within its time limit.
 *
 * @throws Error where the address cannot be read
 */
export function createRedis(options: RedisOptions, logger: Logger): RedisClient {
  const client = open(options);
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

function open(options: RedisOptions): RedisClient {
  const address = readRedisAddress(options.url);
  const retry = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000);
  const common = {
    connectionName: options.connectionName,
    commandTimeout: options.commandTimeoutMs,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    // A server that was made a replica while we were connected refuses writes: the connection is made anew.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (address.kind === 'server') return new Redis(address.url, { ...common, retryStrategy: retry });
  const login = {
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.tls ? { tls: {} } : {}),
  };
  switch (address.kind) {
    case 'cluster':
      return new Cluster(address.nodes, {
        redisOptions: { ...common, ...login },
        enableOfflineQueue: false,
        clusterRetryStrategy: retry,
        // A command is led to the node that has its slot by now, and waits for one that just connects, but not for one
        // that is gone.
        maxRedirections: 4,
        retryDelayOnFailover: 50,
        retryDelayOnClusterDown: 0,
        // Names are kept as they are, since it is these that nodes show certificates for.
        dnsLookup: (name, callback) => callback(null, name),
      });
    case 'sentinel':
      return new Redis({
        ...common,
        ...login,
        sentinels: address.sentinels,
        name: address.master,
        db: address.database,
        retryStrategy: retry,
        sentinelRetryStrategy: retry,
        ...(address.sentinelPassword === undefined ? {} : { sentinelPassword: address.sentinelPassword }),
        ...(address.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
      });
    default:
      return address satisfies never;
  }
}

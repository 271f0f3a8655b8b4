import { Cluster, Redis } from 'ioredis';
import type { Logger } from '../logging.ts';
import { readRedisAddress } from './address.ts';

/** A client of one server, of the master that Sentinels report, or of a Redis Cluster. */
export type RedisClient = Redis | Cluster;

export interface RedisOptions {
  /** Where Redis is, in one of the forms of `readRedisAddress`. */
  url: string;
  connectionName: string;
  /** Time limit of a command. */
  commandTimeoutMs: number;
}

/**
 * Opens a Redis client that fails fast: commands fail while it is not connected, are not repeated, and have a time limit.
 * It reconnects for as long as it is open, at most two seconds apart, and follows a failover. Only on a Redis Cluster a
 * command whose node has gone is retried once or twice, within its time limit.
 *
 * @throws Error when the address is malformed
 */
export function createRedis(options: RedisOptions, logger: Logger): RedisClient {
  const client = open(options);
  let reported = false;
  client.on('error', (error: Error) => {
    if (!reported) logger.warn({ err: { message: error.message } }, 'Redis is unreachable');
    reported = true;
  });
  client.on('ready', () => {
    if (reported) logger.info('Redis is reachable again');
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
    // A server that has become a replica rejects writes: reconnect to the new master.
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
        // A command follows redirections to the node that has its slot, and waits for a node that is connecting, but not
        // for one that is gone.
        maxRedirections: 4,
        retryDelayOnFailover: 50,
        retryDelayOnClusterDown: 0,
        // Host names are kept: the certificates of the nodes carry them.
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

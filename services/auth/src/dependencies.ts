import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Authorize, authorizeBy } from '@tollgate/common/actors/authorize';
import { KeyCache } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { type AuthConfig, pingIntervalMs } from './config.ts';
import { hasCurrentRole } from './people/current-role.ts';
import { RevocationHub } from './revocations/hub.ts';

/** How often a replica looks for changes of other replicas that it was not notified of. */
const REVOCATION_POLL_MS = 1_000;

/** Everything the handlers and jobs work with, created once at start. */
export interface Dependencies {
  config: AuthConfig;
  logger: Logger;
  pool: Pool;
  redis: RedisClient;
  /** The active keys in Redis. */
  cache: KeyCache;
  revocations: RevocationHub;
  /** Signs actor tokens. */
  signingKey: KeyObject;
  authorize: Authorize;
}

/** Creates the dependencies. Nothing connects to the database yet. */
export function createDependencies(config: AuthConfig, logger: Logger): Dependencies {
  const pool = createPool(
    { url: config.DATABASE_URL, size: config.DATABASE_POOL_SIZE, applicationName: 'tollgate-auth' },
    logger,
  );
  const redis = createRedis(
    { url: config.REDIS_URL, connectionName: 'tollgate-auth', commandTimeoutMs: config.REDIS_TIMEOUT_MS },
    logger,
  );
  const revocations = new RevocationHub({
    pool,
    databaseUrl: config.DATABASE_URL,
    logger,
    trustMs: config.TRUST_MS,
    pingIntervalMs: pingIntervalMs(config),
    pollMs: REVOCATION_POLL_MS,
  });
  const { ACTOR_SIGNING_KEY: signingKey, ACTOR_PUBLIC_KEYS: publicKeys = [] } = config;
  const authorize = authorizeBy([createPublicKey(signingKey), ...publicKeys], (actor) =>
    hasCurrentRole(pool, actor, actor.accountId),
  );
  return { config, logger, pool, redis, cache: new KeyCache(redis), revocations, signingKey, authorize };
}

import { grpcTls } from '@tollgate/common/grpc/tls';
import { startHealth } from '@tollgate/common/health';
import { KeyCache } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import { createRedis } from '@tollgate/common/redis/client';
import type { ShutdownStep } from '@tollgate/common/shutdown';
import type { AuthConfig } from './config.ts';
import { watchReadiness } from './readiness.ts';
import { RevocationHub } from './revocations/hub.ts';
import { startAuthServer } from './server.ts';

/** Share of the grace period that running calls get. */
const CALLS_SHARE = 0.8;

/** A running auth service. */
export interface Auth {
  port: number;
  /** What stops it, in order. */
  stopSteps: ShutdownStep[];
}

/** Opens the connections of auth and starts its server. It serves once Postgres answers with a schema it can use. */
export async function startAuth(config: AuthConfig, logger: Logger): Promise<Auth> {
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT);
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
    logger,
    trustMs: config.TRUST_MS,
    pingIntervalMs: config.PING_INTERVAL_MS,
    pollMs: config.REVOCATION_POLL_MS,
  });
  const deps = { pool, cache: new KeyCache(redis), revocations, logger, serviceName: config.SERVICE_NAME };
  const server = await startAuthServer(deps, {
    host: config.LISTEN_HOST,
    port: config.GRPC_PORT,
    socket: config.GRPC_SOCKET,
    tls: grpcTls(config),
    health,
  });
  revocations.start();
  const endReadiness = watchReadiness({ pool, logger, setServing: server.setServing });
  return {
    port: server.port,
    stopSteps: [
      { name: 'readiness', run: endReadiness },
      { name: 'watches', run: () => revocations.stop() },
      { name: 'calls', run: () => server.stop(config.SHUTDOWN_GRACE_MS * CALLS_SHARE) },
      { name: 'redis', run: () => redis.disconnect() },
      { name: 'pool', run: () => pool.end() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

import { KeyCache } from '@tollgate/common/keys/index';
import { createLogger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import { createRedis } from '@tollgate/common/redis/client';
import { runMain, stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { readConfig } from './config.ts';
import { watchReadiness } from './readiness.ts';
import { RevocationHub } from './revocations/hub.ts';
import { startAuthServer } from './server.ts';

const logger = createLogger('auth', process.env['LOG_LEVEL'] || 'info');

runMain(logger, async () => {
  const config = readConfig(process.env);
  const telemetry = startTelemetry({ service: 'auth', metricsPort: config.METRICS_PORT, host: config.LISTEN_HOST });
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
  const server = await startAuthServer(deps, { host: config.LISTEN_HOST, port: config.GRPC_PORT });
  revocations.start();
  const endReadiness = watchReadiness({ pool, logger, setServing: server.setServing });
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'readiness', run: endReadiness },
    { name: 'watches', run: () => revocations.stop() },
    { name: 'calls', run: () => server.stop(config.SHUTDOWN_GRACE_MS * 0.8) },
    { name: 'redis', run: () => redis.disconnect() },
    { name: 'pool', run: () => pool.end() },
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});

import { grpcTls } from '@tollgate/common/grpc/tls';
import { startHealth } from '@tollgate/common/health';
import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { readConfig } from './config.ts';
import { startRouter } from './server.ts';

runMain('router', readConfig, async (config, logger) => {
  const telemetry = startTelemetry({
    service: 'router',
    metricsPort: config.METRICS_PORT,
    host: config.LISTEN_HOST,
    logger,
  });
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT);
  const router = await startRouter({
    catalogueFile: config.CATALOGUE_FILE,
    cataloguePollMs: config.CATALOGUE_POLL_MS,
    lookup: (name) => process.env[name],
    host: config.LISTEN_HOST,
    port: config.GRPC_PORT,
    socket: config.GRPC_SOCKET,
    tls: grpcTls(config),
    health,
    logger,
  });
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'grpc', run: () => router.stop(config.SHUTDOWN_GRACE_MS / 2) },
    { name: 'health', run: () => health.stop() },
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});

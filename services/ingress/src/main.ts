import { listen, stopListening } from '@tollgate/common/http-server';
import { createLogger } from '@tollgate/common/logging';
import { runMain, stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { readConfig } from './config.ts';
import { createHttpServer } from './http/http-server.ts';
import { createApp } from './server.ts';
import { wire } from './wire.ts';

const logger = createLogger('ingress', process.env['LOG_LEVEL'] ?? 'info');

runMain(logger, async () => {
  const config = readConfig(process.env);
  const telemetry = startTelemetry({
    service: 'ingress',
    metricsPort: config.METRICS_PORT,
    host: config.LISTEN_HOST,
    logger,
  });
  const parts = wire(config, logger);
  const server = createHttpServer(createApp(parts.deps), {
    maxConnections: config.MAX_CONNECTIONS,
    onRefusedConnection: () => parts.deps.metrics.refusedConnection(),
  });
  parts.deps.metrics.connections(server);
  await parts.start();
  await listen(server, config.LISTEN_HOST, config.PORT);
  logger.info({ port: config.PORT }, 'ingress listens');
  const lingerMs = config.SHUTDOWN_LINGER_MS;
  const grace = config.SHUTDOWN_GRACE_MS - lingerMs;
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'readiness', run: () => parts.setStopping() },
    { name: 'http', run: () => stopListening(server, { lingerMs, graceMs: grace * 0.7 }) },
    { name: 'charges', run: () => parts.deps.credit.drain(grace * 0.2, () => parts.deps.openCalls.stopAll()) },
    { name: 'streams', run: () => parts.stop() },
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});

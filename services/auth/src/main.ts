import { startHealth } from '@tollgate/common/health';
import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { readConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { createServer } from './server.ts';

runMain('auth', readConfig, async (config, logger) => {
  const telemetry = startTelemetry({
    service: 'auth',
    metricsPort: config.METRICS_PORT,
    host: config.LISTEN_HOST,
    logger,
  });
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT);
  const server = createServer(createDependencies(config, logger), health);
  await server.start();
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    ...server.stopSteps,
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});

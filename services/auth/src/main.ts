import { createLogger } from '@tollgate/common/logging';
import { runMain, stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { startAuth } from './assemble.ts';
import { readConfig } from './config.ts';

const logger = createLogger('auth', process.env['LOG_LEVEL'] || 'info');

runMain(logger, async () => {
  const config = readConfig(process.env);
  const telemetry = startTelemetry({
    service: 'auth',
    metricsPort: config.METRICS_PORT,
    host: config.LISTEN_HOST,
    logger,
  });
  const auth = await startAuth(config, logger);
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    ...auth.stopSteps,
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});

import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { startAuth } from './assemble.ts';
import { readConfig } from './config.ts';

runMain('auth', readConfig, async (config, logger) => {
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

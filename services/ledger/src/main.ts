import { loadConfig } from '@tollgate/common/config';
import { createLogger } from '@tollgate/common/logging';
import { runMain, stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { startLedger } from './assemble.ts';
import { configSchema } from './config.ts';

const logger = createLogger('ledger', process.env['LOG_LEVEL'] ?? 'info');

runMain(logger, async () => {
  const config = loadConfig(configSchema, process.env);
  const telemetry = startTelemetry({
    service: 'ledger',
    metricsPort: config.METRICS_PORT,
    host: config.LISTEN_HOST,
    logger,
  });
  const ledger = await startLedger(config, logger);
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    ...ledger.stopSteps,
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
  await ledger.started;
});

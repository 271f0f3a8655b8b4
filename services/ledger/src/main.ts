import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { startLedger } from './assemble.ts';
import { readConfig } from './config.ts';

runMain('ledger', readConfig, async (config, logger) => {
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

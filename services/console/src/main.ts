import { listen, stopListening } from '@tollgate/common/http-server';
import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { readConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { ensureFirstOperator } from './jobs/ensure-first-operator.ts';
import { startMailingAlerts } from './jobs/mail-alerts.ts';
import { startRemovingExpired } from './jobs/remove-expired.ts';
import { startReportingBillDifferences } from './jobs/report-bill-differences.ts';
import { createServer } from './server.ts';

runMain('console', readConfig, async (config, logger) => {
  const telemetry = startTelemetry({
    service: 'console',
    metricsPort: config.METRICS_PORT,
    host: config.LISTEN_HOST,
    logger,
  });
  const dependencies = createDependencies(config, logger);
  const stopping = new AbortController();
  const server = createServer(dependencies, { isStopping: () => stopping.signal.aborted });
  await listen(server, config.LISTEN_HOST, config.PORT);
  logger.info({ port: config.PORT, url: config.CONSOLE_URL }, 'console listens');

  const ensuring = ensureFirstOperator({ ...dependencies, config }, stopping.signal);
  const stopRemoving = startRemovingExpired(dependencies);
  const mailing = startMailingAlerts(dependencies);
  const reporting = startReportingBillDifferences(dependencies);

  const lingerMs = config.SHUTDOWN_LINGER_MS;
  const graceMs = config.SHUTDOWN_GRACE_MS - lingerMs;
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'readiness', run: () => stopping.abort() },
    { name: 'http', run: () => stopListening(server, { lingerMs, graceMs: graceMs * 0.8 }) },
    {
      name: 'jobs',
      run: async () => {
        stopRemoving();
        await Promise.all([ensuring, mailing.stop(), reporting.stop()]);
      },
    },
    { name: 'connections', run: () => dependencies.close() },
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});

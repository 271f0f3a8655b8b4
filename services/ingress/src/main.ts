import { listen, type StopTimes, stopListening } from '@tollgate/common/http-server';
import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { readConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { registerGauges } from './gauges.ts';
import { createServer } from './server.ts';

runMain('ingress', readConfig, async (config, logger) => {
  const telemetry = startTelemetry({
    service: 'ingress',
    metricsPort: config.METRICS_PORT,
    host: config.LISTEN_HOST,
    logger,
  });
  const dependencies = createDependencies(config, logger);
  const server = createServer(dependencies);
  registerGauges(dependencies, server);
  await dependencies.start();
  await listen(server, config.LISTEN_HOST, config.PORT);
  logger.info({ port: config.PORT }, 'ingress listens');

  const { edge, exchanges, wallet } = dependencies;
  const lingerMs = config.SHUTDOWN_LINGER_MS;
  const graceMs = config.SHUTDOWN_GRACE_MS - lingerMs;
  const stopServing = (times: StopTimes) => Promise.all([edge.stopSockets(times), stopListening(server, times)]);
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'readiness', run: () => dependencies.setStopping() },
    { name: 'http', run: () => stopServing({ lingerMs, graceMs: graceMs * 0.7 }) },
    { name: 'charges', run: () => wallet.drain(graceMs * 0.2, () => exchanges.stopCalls()) },
    { name: 'streams', run: () => dependencies.stop() },
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});

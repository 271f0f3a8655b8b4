import { loadConfig } from '@tollgate/common/config';
import { createLogger } from '@tollgate/common/logging';
import { runMain, stopOnSignal } from '@tollgate/common/shutdown';
import { configSchema } from './config.ts';
import { startSimulator } from './server.ts';

const bootLogger = createLogger('simulator', 'info');

runMain(bootLogger, async () => {
  const config = loadConfig(configSchema, process.env);
  const logger = createLogger('simulator', config.LOG_LEVEL);
  const simulator = await startSimulator({
    host: config.LISTEN_HOST,
    port: config.PORT,
    apiKey: config.SIMULATOR_API_KEY,
    onError: (error) => logger.error({ err: error }, 'an exchange failed'),
  });
  logger.info({ port: simulator.port }, 'the simulated provider listens');
  const lingerMs = config.SHUTDOWN_LINGER_MS;
  const graceMs = (config.SHUTDOWN_GRACE_MS - lingerMs) * 0.9;
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [{ name: 'http', run: () => simulator.stop(graceMs, lingerMs) }]);
});

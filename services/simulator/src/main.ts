import { listen, stopListening } from '@tollgate/common/http-server';
import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { readConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { createServer } from './server.ts';

runMain('simulator', readConfig, async (config, logger) => {
  const dependencies = createDependencies({
    onError: (error) => logger.error({ err: error }, 'a call failed'),
  });
  const server = createServer(dependencies);
  const port = await listen(server, config.LISTEN_HOST, config.PORT);
  logger.info({ port }, 'listening');
  const lingerMs = config.SHUTDOWN_LINGER_MS;
  const graceMs = (config.SHUTDOWN_GRACE_MS - lingerMs) * 0.9;
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'http', run: () => stopListening(server, { lingerMs, graceMs }) },
  ]);
});

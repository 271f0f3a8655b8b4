import { commonSettings, loadConfig, port } from '@tollgate/common/config';
import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { z } from 'zod';
import { startStandIn } from './server.ts';

const schema = z.object({
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  LISTEN_HOST: z.string().default('127.0.0.1'),
  SHUTDOWN_GRACE_MS: commonSettings.SHUTDOWN_GRACE_MS,
  /** Port to listen on; 0 lets the system choose. */
  PORT: port.default(6379),
  /** The password that clients must present. */
  PASSWORD: z.string().min(1).optional(),
});

const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(schema, env);

runMain('redis-stand-in', readConfig, async (config, logger) => {
  const standIn = await startStandIn(config.LISTEN_HOST, config.PORT, config.PASSWORD);
  logger.info({ port: standIn.port }, 'the stand-in for Redis listens');
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [{ name: 'sockets', run: standIn.stop }]);
});

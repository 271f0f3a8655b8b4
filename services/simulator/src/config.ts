import { commonSettings, lingerSettings, loadConfig, port } from '@tollgate/common/config';
import { z } from 'zod';

const { LOG_LEVEL, LISTEN_HOST, SHUTDOWN_GRACE_MS } = commonSettings;

/** Settings of the simulated provider, by the names of their environment variables. */
export const settings = z.object({
  LOG_LEVEL,
  LISTEN_HOST,
  SHUTDOWN_GRACE_MS,
  ...lingerSettings,
  PORT: port.default(8090).describe('HTTP port; 0 lets the system choose.'),
});

export type SimulatorConfig = z.output<typeof settings>;

/** Reads the settings of the simulated provider; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): SimulatorConfig {
  return loadConfig(settings, env);
}

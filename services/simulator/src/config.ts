import { commonSettings, loadConfig, milliseconds, port } from '@tollgate/common/config';
import { z } from 'zod';

/** Settings of the simulated provider, read from the environment. */
const schema = z.object({
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  LISTEN_HOST: commonSettings.LISTEN_HOST,
  SHUTDOWN_GRACE_MS: commonSettings.SHUTDOWN_GRACE_MS,
  /** How long a stopping process still takes connections, and closes each with its response; part of SHUTDOWN_GRACE_MS. */
  SHUTDOWN_LINGER_MS: milliseconds.default(0),
  /** Where the HTTP server listens; 0 lets the system choose. */
  PORT: port.default(8090),
  /** The bearer key every call of a model endpoint must carry; unset accepts any key and none. */
  SIMULATOR_API_KEY: z.string().min(1).optional(),
});

export type SimulatorConfig = z.output<typeof schema>;

/** Reads the settings of the simulated provider; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): SimulatorConfig {
  return loadConfig(schema, env);
}

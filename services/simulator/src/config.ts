import { commonSettings, loadConfig, milliseconds, port } from '@tollgate/common/config';
import { z } from 'zod';
import { CONTEXT_WINDOW } from './model/context-window.ts';

const { LOG_LEVEL, LISTEN_HOST, SHUTDOWN_GRACE_MS } = commonSettings;

/** Settings of the simulated provider, by the names of their environment variables. */
export const settings = z.object({
  LOG_LEVEL,
  LISTEN_HOST,
  SHUTDOWN_GRACE_MS,
  SHUTDOWN_LINGER_MS: milliseconds
    .default(0)
    .describe('Part of the grace in which new connections are still accepted; each is closed with its response.'),
  PORT: port.default(8090).describe('HTTP port; 0 lets the system choose.'),
  SIMULATOR_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe("Key that every model call must carry in its protocol's header; when unset, any key or none."),
  SIMULATOR_CONTEXT_WINDOW: z.coerce
    .number()
    .int()
    .min(1)
    .default(CONTEXT_WINDOW)
    .describe('Tokens that a prompt may have; longer ones are refused as the real providers do.'),
});

export type SimulatorConfig = z.output<typeof settings>;

/** Reads the settings of the simulated provider; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): SimulatorConfig {
  return loadConfig(settings, env);
}

import { grpcServerSettings, loadConfig, milliseconds } from '@tollgate/common/config';
import { z } from 'zod';

/** Settings of the router, read from the environment. Base URLs in the catalogue may name further variables. */
const schema = z.object({
  ...grpcServerSettings,
  /** Path of the catalogue file, YAML or JSON. It is read again when it changes. */
  CATALOGUE_FILE: z.string().min(1),
  /** How often the file's time, size and identity are looked at, for folders whose changes are not notified. */
  CATALOGUE_POLL_MS: milliseconds.min(100).default(2_000),
});

export type RouterConfig = z.output<typeof schema>;

/** Reads the settings of the router; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): RouterConfig {
  return loadConfig(schema, env);
}

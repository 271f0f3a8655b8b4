import { actorSettings, grpcServerSettings, loadConfig } from '@tollgate/common/config';
import { z } from 'zod';

/** Settings of the router, by the names of their environment variables. Base URLs in the catalogue may name further ones. */
export const settings = z.object({
  ...grpcServerSettings,
  ...actorSettings,
  CATALOGUE_FILE: z
    .string()
    .min(1)
    .describe(
      'Path of the [catalogue](../deploy/catalogue/README.md), YAML or JSON. It is read again when it changes.',
    ),
});

export type RouterConfig = z.output<typeof settings>;

/** Reads the settings of the router; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): RouterConfig {
  return loadConfig(settings, env);
}

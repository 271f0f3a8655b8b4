import { commonSettings, flag, lingerSettings, loadConfig, port } from '@tollgate/common/config';
import { z } from 'zod';

const { LOG_LEVEL, LISTEN_HOST, SHUTDOWN_GRACE_MS } = commonSettings;

/** Settings of the simulated Stripe, by the names of their environment variables. */
export const settings = z
  .object({
    LOG_LEVEL,
    LISTEN_HOST,
    SHUTDOWN_GRACE_MS,
    ...lingerSettings,
    PORT: port.default(8092).describe('HTTP port; 0 lets the system choose.'),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Origin of the checkout page for browsers. Default: the host and the port that it listens on.'),
    STRIPE_KEY: z
      .string()
      .startsWith('sk_test_')
      .optional()
      .describe('The only secret key that the API accepts. Default: any that starts with `sk_test_`.'),
    WEBHOOK_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Where events are sent. Default: nowhere.'),
    WEBHOOK_SECRET: z.string().startsWith('whsec_').optional().describe('Signs the events; required with WEBHOOK_URL.'),
    CONTROL: flag.prefault('false').describe('Serves the paths under `/_control/`, with which tests cause faults.'),
  })
  .refine((config) => config.WEBHOOK_URL === undefined || config.WEBHOOK_SECRET !== undefined, {
    path: ['WEBHOOK_SECRET'],
    error: 'is required with WEBHOOK_URL',
  });

export type StripeSimulatorConfig = z.output<typeof settings>;

/** Reads the settings of the simulated Stripe; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): StripeSimulatorConfig {
  return loadConfig(settings, env);
}

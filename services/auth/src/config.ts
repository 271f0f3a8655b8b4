import {
  actorSettings,
  actorSigningSettings,
  grpcServerSettings,
  keySettings,
  loadConfig,
  milliseconds,
  postgresSettings,
  redisSettings,
} from '@tollgate/common/config';
import { z } from 'zod';

/** Settings of auth, by the names of their environment variables. */
export const settings = z.object({
  ...grpcServerSettings,
  ...postgresSettings,
  ...redisSettings,
  ...keySettings,
  ...actorSigningSettings,
  ACTOR_PUBLIC_KEYS: actorSettings.ACTOR_PUBLIC_KEYS.optional().describe(
    'Further PEM public keys (Ed25519) whose actor tokens auth accepts, besides those of its own key. Needed during a rotation.',
  ),
  TRUST_MS: milliseconds
    .min(500)
    .max(60_000)
    .default(5_000)
    .describe(
      'How long an ingress trusts cached keys after a confirmed ping, and about the longest a change waits for an ingress that is cut off ([details](reference/revocation.md#trust)).',
    ),
});

export type AuthConfig = z.output<typeof settings>;

/** Reads the settings of auth; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): AuthConfig {
  return loadConfig(settings, env);
}

/** How often ingresses send a ping: several times within TRUST_MS, so that a lost one changes nothing. */
export function pingIntervalMs({ TRUST_MS }: Pick<AuthConfig, 'TRUST_MS'>): number {
  return Math.min(1_000, TRUST_MS / 5);
}

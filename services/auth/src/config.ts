import { grpcServerSettings, loadConfig, milliseconds, postgresSettings, serviceName } from '@tollgate/common/config';
import { z } from 'zod';

const schema = z.object({
  ...grpcServerSettings,
  ...postgresSettings,
  /** `redis://` or `rediss://` URL, or several, comma-separated, for a Redis Cluster. */
  REDIS_URL: z.string().min(1),
  /**
   * Time limit of a Redis command. Redis only holds a cache, and nothing fails without it. Well below the two seconds for
   * which an ingress waits for auth.
   */
  REDIS_TIMEOUT_MS: milliseconds.min(1).default(500),
  /** The service short name of the contract: keys start with `sk-<name>-`. */
  SERVICE_NAME: serviceName.default('tollgate'),
  /** How long an ingress trusts cached keys after a confirmed ping, and so how long a change waits for a lost ingress. */
  TRUST_MS: milliseconds.min(500).max(60_000).default(5_000),
  /** How often ingresses ping; several intervals must fit into TRUST_MS. */
  PING_INTERVAL_MS: milliseconds.min(50).max(20_000).default(1_000),
  /** How often a replica looks for changes made through other replicas. */
  REVOCATION_POLL_MS: milliseconds.min(10).max(5_000).default(100),
});

export type AuthConfig = z.output<typeof schema>;

/** Reads the settings of auth; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): AuthConfig {
  return loadConfig(schema, env);
}

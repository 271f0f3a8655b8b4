import { z } from 'zod';
import { readPublicKeys, readSigningKey } from './actors/token.ts';
import { messageOf } from './errors.ts';
import { parseTrustedProxies } from './http/client-network.ts';

/** A configuration that cannot be used; the message lists every variable at fault, one a line, without its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's settings from environment variables. An empty variable counts as unset, as charts and compose files
 * often set variables to nothing.
 *
 * @param schema an object schema whose keys are the variables' names
 * @throws ConfigError naming every variable that is missing or wrong
 */
export function loadConfig<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`Configuration is not usable:\n${lines.join('\n')}`);
}

/** A TCP port; 0 lets the system choose. */
export const port = z.coerce.number().int().min(0).max(65535);

/** An integer of milliseconds. */
export const milliseconds = z.coerce.number().int().min(0).max(86_400_000);

/** An integer of bytes. */
export const bytes = z.coerce.number().int().min(1);

/** `true`, `false`, `1` or `0`. */
export const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** What is not a URL is not checked further. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL', abort: true });

/** An origin: a URL without a path. */
export const origin = httpUrl
  .refine((text) => {
    const { pathname, search, hash, username } = new URL(text);
    return pathname === '/' && search === '' && hash === '' && username === '';
  }, 'must have no path')
  .transform((text) => new URL(text).origin);

/** A gRPC target such as `auth:50051` or `dns:///tollgate-auth:50051`. */
export const grpcAddress = z.string().min(1).max(500);

/** The service short name of the contract: keys start with `sk-<name>-`. */
export const serviceName = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,19}$/, 'must be 1 to 20 lower-case letters or digits, beginning with a letter');

/** Minimum log level. */
const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

/** PostgreSQL connection URL. */
export const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' });

/** Maximum length of the path of a Unix socket that every system accepts. */
const MAX_SOCKET_PATH = 100;

/**
 * Settings of mutual TLS between services. With all three files, a service presents its certificate to the services it calls
 * and to its callers, and accepts only certificates of the same authority from both.
 */
export const grpcTlsSettings = {
  GRPC_TLS_CERT_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM certificate of this service for [mutual TLS](operations/install.md#tls-between-services). Set all three files or none.',
    ),
  GRPC_TLS_KEY_FILE: z.string().min(1).optional().describe('PEM key of that certificate.'),
  GRPC_TLS_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('PEM certificates of the authority that issued the certificates of all services.'),
};

/** Settings of mutual TLS of a service with a gRPC server. */
const grpcTlsServerSettings = {
  ...grpcTlsSettings,
  GRPC_TLS_CLIENT_NAME: z
    .string()
    .min(1)
    .max(253)
    .prefault('{role}')
    .describe(
      'DNS name in the certificates of callers, where `{role}` stands for `ingress`, `console`, `ledger` or `payments`. The role decides which calls a caller may make.',
    ),
  GRPC_TLS_OPTIONAL: flag
    .prefault('false')
    .describe('Also accepts connections without TLS, which may make any call. Only while callers switch to TLS.'),
};

/** Settings of every service. */
export const commonSettings = {
  LOG_LEVEL: logLevel.default('info').describe('Minimum log level.'),
  LISTEN_HOST: z.string().default('0.0.0.0').describe('Interface that all listeners bind to.'),
  SHUTDOWN_GRACE_MS: milliseconds.default(30_000).describe('Maximum time a stopping process takes to finish its work.'),
  METRICS_PORT: port.optional().describe('Port of Prometheus metrics, at `/metrics`.'),
};

/** Settings of a service with HTTP clients, which load balancers find. */
export const lingerSettings = {
  SHUTDOWN_LINGER_MS: milliseconds
    .default(0)
    .describe(
      'Part of the grace in which new connections are still accepted, while load balancers remove the process.',
    ),
};

/** Settings of a service that calls the others. */
export const addressSettings = {
  AUTH_ADDRESS: grpcAddress.describe('gRPC address of auth.'),
  LEDGER_ADDRESS: grpcAddress.describe('gRPC address of the ledger.'),
  ROUTER_ADDRESS: grpcAddress.describe('gRPC address of the router.'),
};

/** Settings of the services that a request of a client concerns. */
export const requestSettings = {
  MAX_REQUEST_MS: milliseconds
    .default(3_600_000)
    .describe(
      "Maximum duration of a request including its response, the same at all services. A dead session's credit is kept beyond it.",
    ),
};

/** A list of addresses and networks; empty for none. */
const trustedProxies = z.string().transform((text, context) => {
  const proxies = parseTrustedProxies(text);
  if (proxies !== undefined) return proxies;
  context.addIssue({ code: 'custom', message: 'must be comma-separated addresses or networks (CIDR)' });
  return z.NEVER;
});

/** Settings of a service with HTTP clients behind proxies. */
export const proxySettings = {
  TRUSTED_PROXIES: trustedProxies
    .prefault('')
    .describe(
      'Comma-separated addresses and networks (CIDR) of the proxies in front, whose `X-Forwarded-For` is trusted.',
    ),
};

/** Settings of a service with a gRPC server. */
export const grpcServerSettings = {
  ...commonSettings,
  ...grpcTlsServerSettings,
  GRPC_PORT: port.default(50051).describe('gRPC port; 0 lets the system choose.'),
  GRPC_SOCKET: z
    .string()
    .min(1)
    .max(MAX_SOCKET_PATH)
    .optional()
    .describe('Path of a Unix socket to listen on instead. Anyone who can enter its folder may make any call.'),
  HEALTH_PORT: port.optional().describe('Port of `/health/live` and `/health/ready` over HTTP.'),
};

/** Settings of a service that keeps its state in Postgres. */
export const postgresSettings = {
  DATABASE_URL: postgresUrl.describe('URL of Postgres 15 or later.'),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Maximum connections of this process to Postgres.'),
};

/** Settings of a service that uses Redis. */
export const redisSettings = {
  REDIS_URL: z.string().min(1).describe('Redis 7 or later; see [all forms](operations/redis.md#address).'),
  REDIS_TIMEOUT_MS: milliseconds
    .min(1)
    .default(500)
    .describe(
      'Maximum time of a Redis command; a slower Redis counts as down. Keep it well below 2000, the time an ingress waits for auth.',
    ),
};

/** The value of a setting in another form; what `read` throws becomes the setting's error. */
function readAs<T>(read: (text: string) => T) {
  return (text: string, context: z.RefinementCtx): T => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
      return z.NEVER;
    }
  };
}

/** Settings of a service that is called on behalf of people and programs. */
export const actorSettings = {
  ACTOR_PUBLIC_KEYS: z
    .string()
    .transform(readAs(readPublicKeys))
    .describe('PEM public keys (Ed25519) of the actor tokens that auth signs. Several during a rotation.'),
};

/** Settings of auth, which signs actor tokens. */
export const actorSigningSettings = {
  ACTOR_SIGNING_KEY: z
    .string()
    .transform(readAs(readSigningKey))
    .describe('PEM private key (Ed25519, PKCS #8) with which auth signs actor tokens.'),
};

/** Settings of a service that knows what keys look like. */
export const keySettings = {
  SERVICE_NAME: serviceName
    .default('tollgate')
    .describe('Keys start with `sk-<name>-`. Changing it invalidates existing keys.'),
};

import { z } from 'zod';

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

/** A whole number of milliseconds. */
export const milliseconds = z.coerce.number().int().min(0).max(86_400_000);

/** A whole number of bytes. */
export const bytes = z.coerce.number().int().min(1);

/** `true`, `false`, `1` or `0`. */
export const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** A gRPC target such as `auth:50051` or `dns:///tollgate-auth:50051`. */
export const grpcAddress = z.string().min(1).max(500);

/** The service short name of the contract: keys start with `sk-<name>-`. */
export const serviceName = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,19}$/, 'must be 1 to 20 lower-case letters or digits, beginning with a letter');

/**
 * Settings of TLS between services. All three files or none: with them a service shows its certificate to those it calls
 * and to those that call it, and takes only certificates of the same authority from both.
 */
export const grpcTlsSettings = {
  /** PEM file of the service's certificate, which names it as clients address it. */
  GRPC_TLS_CERT_FILE: z.string().min(1).optional(),
  /** PEM file of the key of that certificate. */
  GRPC_TLS_KEY_FILE: z.string().min(1).optional(),
  /** PEM file of the authority that all services' certificates come from. */
  GRPC_TLS_CA_FILE: z.string().min(1).optional(),
  /**
   * The DNS name that the certificate of a caller carries, in which `{role}` stands for `ingress`, `console` or `cli`;
   * `{role}` alone when unset. What a caller may do follows from its role. Used by services that are called.
   */
  GRPC_TLS_CLIENT_NAME: z.string().min(1).max(253).optional(),
  /**
   * Has a service that is called also take connections without TLS, which may make every call: while callers of a
   * version or setting without TLS are replaced, and no longer.
   */
  GRPC_TLS_OPTIONAL: flag.optional(),
};

/** Settings that every service has. */
export const commonSettings = {
  ...grpcTlsSettings,
  /** Lowest level logged: trace, debug, info, warn, error, fatal or silent. */
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Where Prometheus scrapes metrics (path /metrics); unset switches the endpoint off. */
  METRICS_PORT: port.optional(),
  /** Interface that all listeners bind to. */
  LISTEN_HOST: z.string().default('0.0.0.0'),
  /** How long a stopping process may take to finish its work. */
  SHUTDOWN_GRACE_MS: milliseconds.default(30_000),
};

/** What every system takes as the path of a Unix socket. */
const MAX_SOCKET_PATH = 100;

/** Settings of a service with a gRPC server. */
export const grpcServerSettings = {
  ...commonSettings,
  /** Where the gRPC server listens. */
  GRPC_PORT: port.default(50051),
  /**
   * Path of a Unix socket where the gRPC server listens instead, created at start. Anyone who may enter its folder may make
   * every call.
   */
  GRPC_SOCKET: z.string().min(1).max(MAX_SOCKET_PATH).optional(),
  /** Port of health checks over HTTP (paths /health/live and /health/ready); unset switches the endpoint off. */
  HEALTH_PORT: port.optional(),
};

/** Settings of a service that keeps state in Postgres. */
export const postgresSettings = {
  /** Postgres connection URL. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
  /** Maximum connections of this process. */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10),
};

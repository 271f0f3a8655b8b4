import { rmSync } from 'node:fs';
import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Health } from '../health.ts';
import type { Logger } from '../logging.ts';
import { callerCheck } from './callers.ts';
import { listenForEither } from './either-listener.ts';
import { GrpcHealth } from './health-service.ts';
import { addReflection } from './reflection.ts';
import type { GrpcTls } from './tls.ts';

/** Maximum size of a message in either direction. A settlement batch of 1,000 charges takes about 1 MiB. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const SERVER_OPTIONS = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_concurrent_streams': 1_000,
  // Clients then reconnect and resolve the address again, so that they find new replicas. Streams of the old connection
  // break within a keepalive interval, because grpc-js treats a ping on a closing connection as failed, and are reopened.
  'grpc.max_connection_age_ms': 300_000,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 1,
};

export interface GrpcServerOptions {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Path of a Unix socket to listen on instead of host and port. */
  socket?: string | undefined;
  logger: Logger;
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
  /** Full name for health and reflection, such as `tollgate.auth.v1.AuthService`. */
  serviceName: string;
  /** Undefined for unencrypted connections. With TLS, the caller's certificate decides which calls are allowed. */
  tls?: GrpcTls | undefined;
  /** Gets the same status as health checks over gRPC. */
  health?: Health | undefined;
}

export interface GrpcServer {
  /** The port that was bound; 0 with a socket. */
  port: number;
  /**
   * Sets the status of health checks, for the service and for the server. Not serving until first set.
   *
   * @param reason why it does not serve
   */
  setServing: (serving: boolean, reason?: string) => void;
  /** Accepts no new calls and waits for open ones; those still open after `graceMs` are cancelled. */
  stop: (graceMs: number) => Promise<void>;
}

/** Starts a gRPC server with the given service, health checking (grpc.health.v1) and reflection. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  // Without TLS callers are not identified; access is then restricted by other means, such as the folder of the socket.
  const interceptors = options.tls === undefined ? [] : [callerCheck(options.tls, options.logger)];
  const server = new Server({ ...SERVER_OPTIONS, interceptors });
  server.addService(options.definition, options.implementation);
  const health = new GrpcHealth([options.serviceName], options.logger);
  health.addToServer(server);
  addReflection(server, options.serviceName);
  const { port, close } = await bind(server, options);
  options.logger.info({ port, socket: options.socket, service_name: options.serviceName }, 'gRPC server listens');
  let isServing = false;
  const setServing = (serving: boolean, reason = 'not serving') => {
    options.health?.setProblem(serving ? undefined : reason);
    // Health watchers would get an unchanged status again.
    if (serving === isServing) return;
    isServing = serving;
    health.setServing(serving);
  };
  const stop = (graceMs: number) => {
    close();
    health.endWatches();
    return shutDown(server, graceMs, options.logger);
  };
  return { port, setServing, stop };
}

/** Where a server listens, and what closes a listener of our own. */
interface Bound {
  port: number;
  close: () => void;
}

async function bind(server: Server, { host, port, socket, tls, logger }: GrpcServerOptions): Promise<Bound> {
  if (tls?.optional === true && socket === undefined) {
    logger.warn('calls without TLS are accepted (GRPC_TLS_OPTIONAL) and may use every method');
    return listenForEither(server, await tls.forServer(), host, port);
  }
  // A killed process leaves its socket behind, which would block the address.
  if (socket !== undefined) rmSync(socket, { force: true });
  const address = socket === undefined ? `${host}:${port}` : `unix:${socket}`;
  const credentials = (await tls?.forServer()) ?? ServerCredentials.createInsecure();
  const bound = await bindServer(server, address, credentials);
  return { port: socket === undefined ? bound : 0, close: () => undefined };
}

/** Starts listening. Resolves to the bound port, which the system chooses for 0; rejects when the address is in use. */
export function bindServer(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error === null) resolve(port);
      else reject(new Error(`cannot listen on ${address}: ${error.message}`, { cause: error }));
    });
  });
}

function shutDown(server: Server, graceMs: number, logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      logger.warn({ grace_ms: graceMs }, 'gRPC calls are still open after the grace period and are cancelled');
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

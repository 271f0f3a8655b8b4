import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import type { Health } from '../health.ts';
import type { Logger } from '../logging.ts';
import { callerCheck } from './callers.ts';
import { listenForEither } from './either-listener.ts';
import type { GrpcTls } from './tls.ts';

/** Largest message either way. A settlement batch of 1,000 charges takes about 1 MiB. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const SERVER_OPTIONS = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_concurrent_streams': 1_000,
  // Clients connect again and look their address up again, so that they find replicas that were added. Streams of the
  // connection before break off within a keepalive, as grpc-js takes a ping on a closing connection for failed, and are
  // opened anew.
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
  /** Undefined for connections that are not encrypted. With it, calls are allowed by the certificate of the caller. */
  tls?: GrpcTls | undefined;
  /** Reports the same as health checks over gRPC. */
  health?: Health | undefined;
}

export interface GrpcServer {
  /** The port that was bound; 0 with a socket. */
  port: number;
  /**
   * Sets the status of health checks, for the service and for the whole server. Not serving until first set.
   *
   * @param reason why it does not serve
   */
  setServing: (serving: boolean, reason?: string) => void;
  /** Takes no new calls and waits for open ones; those still open after `graceMs` are cut. */
  stop: (graceMs: number) => Promise<void>;
}

/** Starts a gRPC server with health checking (grpc.health.v1) and reflection beside the given service. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  // Without TLS nothing says who calls: the port is then kept from others by other means, such as a socket's folder.
  const interceptors = options.tls === undefined ? [] : [callerCheck(options.tls, options.logger)];
  const server = new Server({ ...SERVER_OPTIONS, interceptors });
  server.addService(options.definition, options.implementation);
  const health = new HealthImplementation({ '': 'NOT_SERVING', [options.serviceName]: 'NOT_SERVING' });
  health.addToServer(server);
  const descriptor = readFileSync(fileURLToPath(import.meta.resolve('@tollgate/proto/descriptor')));
  const services = [options.serviceName];
  new ReflectionService(loadFileDescriptorSetFromBuffer(descriptor), { services }).addToServer(server);
  const { port, close } = await bind(server, options);
  options.logger.info({ port, socket: options.socket, service_name: options.serviceName }, 'gRPC server listens');
  let isServing = false;
  const setServing = (serving: boolean, reason = 'not serving') => {
    options.health?.setProblem(serving ? undefined : reason);
    // Watchers of the health get every status that is set, also an unchanged one.
    if (serving === isServing) return;
    isServing = serving;
    health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING');
    health.setStatus(options.serviceName, serving ? 'SERVING' : 'NOT_SERVING');
  };
  return { port, setServing, stop: (graceMs) => stop(server, close, graceMs, options.logger) };
}

/** Where a server listens, and what it listens with beside what it closes itself. */
interface Bound {
  port: number;
  close: () => void;
}

async function bind(server: Server, { host, port, socket, tls, logger }: GrpcServerOptions): Promise<Bound> {
  if (tls?.optional === true && socket === undefined) {
    logger.warn('calls without TLS are taken as well (GRPC_TLS_OPTIONAL), and may be any');
    return listenForEither(server, tls.forServer(), host, port);
  }
  // A process that was killed leaves its socket behind, where nothing else could listen.
  if (socket !== undefined) rmSync(socket, { force: true });
  const address = socket === undefined ? `${host}:${port}` : `unix:${socket}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(address, tls?.forServer() ?? ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve({ port: socket === undefined ? bound : 0, close: () => undefined });
      else reject(new Error(`cannot listen on ${address}: ${error.message}`, { cause: error }));
    });
  });
}

function stop(server: Server, close: () => void, graceMs: number, logger: Logger): Promise<void> {
  close();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      logger.warn({ grace_ms: graceMs }, 'gRPC calls are still open after the grace period and are cut');
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

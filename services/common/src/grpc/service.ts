import { type Health, startHealth } from '../health.ts';
import type { Logger } from '../logging.ts';
import { runMain } from '../run-main.ts';
import { type ShutdownStep, stopOnSignal } from '../shutdown.ts';
import { startTelemetry } from '../telemetry.ts';
import type { GrpcServerOptions } from './server.ts';
import { type GrpcTlsSettings, grpcTls } from './tls.ts';

/** The share of the grace period that open calls get to finish. */
export const CALLS_GRACE_SHARE = 0.8;

/** Where a gRPC server listens, by the settings of its service. */
export function listenOptions(
  config: GrpcTlsSettings & { LISTEN_HOST: string; GRPC_PORT: number; GRPC_SOCKET?: string | undefined },
): Pick<GrpcServerOptions, 'host' | 'port' | 'socket' | 'tls'> {
  return { host: config.LISTEN_HOST, port: config.GRPC_PORT, socket: config.GRPC_SOCKET, tls: grpcTls(config) };
}

/** A service as its process runs it: the gRPC server and the background jobs. */
export interface Service {
  /** Resolves once it serves, or when it is stopped before; rejects when it cannot serve. */
  start: () => Promise<void>;
  /** Stop it in order, also while it starts. */
  stopSteps: ShutdownStep[];
}

/** The settings that running a service needs; see `grpcServerSettings`. */
interface ServiceConfig {
  LOG_LEVEL: string;
  METRICS_PORT?: number | undefined;
  LISTEN_HOST: string;
  HEALTH_PORT?: number | undefined;
  SHUTDOWN_GRACE_MS: number;
}

/**
 * Runs a gRPC service until its process gets a stop signal: telemetry and health checks first, then the service.
 *
 * @param name the name in logs and traces
 * @param create opens the dependencies and creates the service
 */
export function runService<C extends ServiceConfig>(
  name: string,
  readConfig: (env: NodeJS.ProcessEnv) => C,
  create: (config: C, logger: Logger, health: Health) => Service | Promise<Service>,
): void {
  runMain(name, readConfig, async (config, logger) => {
    const telemetry = startTelemetry({
      service: name,
      metricsPort: config.METRICS_PORT,
      host: config.LISTEN_HOST,
      logger,
    });
    const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT);
    const service = await create(config, logger, health);
    const started = service.start();
    stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
      ...service.stopSteps,
      { name: 'telemetry', run: () => telemetry.shutdown() },
    ]);
    await started;
  });
}

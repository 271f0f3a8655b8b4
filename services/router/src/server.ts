import { unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Health } from '@tollgate/common/health';
import type { ShutdownStep } from '@tollgate/common/shutdown';
import { type RouterServiceServer, RouterServiceService } from '@tollgate/proto/router';
import type { Dependencies } from './dependencies.ts';
import { getRoutes } from './handlers/get-routes.ts';
import { reportOutcomes } from './handlers/report-outcomes.ts';
import { watchRoutes } from './handlers/watch-routes.ts';

const SERVICE_NAME = 'tollgate.router.v1.RouterService';

/** The service as a process runs it. */
export interface Server {
  start: () => Promise<void>;
  /** Stop it in order. */
  stopSteps: ShutdownStep[];
}

/** Creates the service. */
export function createServer(deps: Dependencies, health: Health): Server {
  const { config, logger, routes, catalogue, streams } = deps;
  let server: GrpcServer | undefined;
  const start = async () => {
    server = await startGrpcServer({
      host: config.LISTEN_HOST,
      port: config.GRPC_PORT,
      socket: config.GRPC_SOCKET,
      logger,
      definition: RouterServiceService,
      implementation: createHandlers(deps),
      serviceName: SERVICE_NAME,
      tls: grpcTls(config),
      health,
    });
    server.setServing(true);
  };
  return {
    start,
    stopSteps: [
      { name: 'readiness', run: () => server?.setServing(false, 'stopping') },
      { name: 'catalogue', run: () => catalogue.stop() },
      { name: 'streams', run: () => streams.drain() },
      { name: 'server', run: () => server?.stop(config.SHUTDOWN_GRACE_MS / 2) },
      { name: 'routes', run: () => routes.close() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

/** Creates the handlers of all RPCs. */
function createHandlers(deps: Dependencies): RouterServiceServer {
  return {
    getRoutes: unary(`${SERVICE_NAME}/GetRoutes`, deps.logger, getRoutes(deps)),
    watchRoutes: watchRoutes(deps),
    reportOutcomes: reportOutcomes(deps),
  };
}

import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { CALLS_GRACE_SHARE, listenOptions, type Service } from '@tollgate/common/grpc/service';
import type { Health } from '@tollgate/common/health';
import { type RouterServiceServer, RouterServiceService } from '@tollgate/proto/router';
import type { Dependencies } from './dependencies.ts';
import { createCompareCatalogueHandler } from './handlers/compare-catalogue.ts';
import { createGetCatalogueHandler } from './handlers/get-catalogue.ts';
import { createGetHealthHandler } from './handlers/get-health.ts';
import { createGetRoutesHandler } from './handlers/get-routes.ts';
import { createListProvidersHandler } from './handlers/list-providers.ts';
import { createReportOutcomesHandler } from './handlers/report-outcomes.ts';
import { createServeProbesHandler } from './handlers/serve-probes.ts';
import { createTestProviderHandler } from './handlers/test-provider.ts';
import { createWatchRoutesHandler } from './handlers/watch-routes.ts';

const SERVICE_NAME = 'tollgate.router.v1.RouterService';

/** Creates the service. It serves at once: the catalogue is loaded. */
export function createServer(deps: Dependencies, health: Health): Service {
  const { config, logger, routes, catalogue, streams } = deps;
  let server: GrpcServer | undefined;
  const start = async () => {
    server = await startGrpcServer({
      ...listenOptions(config),
      logger,
      definition: RouterServiceService,
      implementation: createHandlers(deps),
      serviceName: SERVICE_NAME,
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
      { name: 'server', run: () => server?.stop(config.SHUTDOWN_GRACE_MS * CALLS_GRACE_SHARE) },
      { name: 'routes', run: () => routes.close() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

/** Creates the handlers of all RPCs. */
function createHandlers(deps: Dependencies): RouterServiceServer {
  const call = <Request, Response>(method: string, handler: UnaryHandler<Request, Response>) =>
    unary(`${SERVICE_NAME}/${method}`, deps, handler);
  return {
    getRoutes: call('GetRoutes', createGetRoutesHandler(deps)),
    getHealth: call('GetHealth', createGetHealthHandler(deps)),
    getCatalogue: call('GetCatalogue', createGetCatalogueHandler(deps)),
    compareCatalogue: call('CompareCatalogue', createCompareCatalogueHandler(deps)),
    watchRoutes: createWatchRoutesHandler(deps),
    reportOutcomes: createReportOutcomesHandler(deps),
    listProviders: call('ListProviders', createListProvidersHandler(deps)),
    testProvider: call('TestProvider', createTestProviderHandler(deps)),
    serveProbes: createServeProbesHandler(deps),
  };
}

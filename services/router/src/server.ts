import { unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { OpenStreams } from '@tollgate/common/grpc/server-stream';
import type { GrpcTls } from '@tollgate/common/grpc/tls';
import type { Health } from '@tollgate/common/health';
import type { Logger } from '@tollgate/common/logging';
import { type RouterServiceServer, RouterServiceService } from '@tollgate/proto/router';
import type { VariableLookup } from './catalogue/base-url.ts';
import { openLiveCatalogue } from './catalogue/live-catalogue.ts';
import { getRoutes } from './handlers/get-routes.ts';
import { reportOutcomes } from './handlers/report-outcomes.ts';
import { watchRoutes } from './handlers/watch-routes.ts';
import { HealthBoard } from './health/health-board.ts';
import { createRouterMetrics } from './metrics.ts';
import { RouteStore } from './routes/route-store.ts';

export const SERVICE_NAME = 'tollgate.router.v1.RouterService';

export interface RouterOptions {
  catalogueFile: string;
  cataloguePollMs: number;
  /** Finds the variables that base URLs name. */
  lookup: VariableLookup;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Path of a Unix socket to listen on instead. */
  socket?: string | undefined;
  /** Undefined for connections that are not encrypted. */
  tls?: GrpcTls | undefined;
  health?: Health | undefined;
  logger: Logger;
}

export interface Router {
  port: number;
  /** Says not serving, ends open streams, takes no new calls, and lets those that run end within `graceMs`. */
  stop: (graceMs: number) => Promise<void>;
}

/**
 * Loads the catalogue and starts the router's gRPC server.
 *
 * @throws CatalogueError when the catalogue cannot be used
 */
export async function startRouter(options: RouterOptions): Promise<Router> {
  const { logger } = options;
  const health = new HealthBoard();
  const routes = new RouteStore(health, Date.now, logger);
  const metrics = createRouterMetrics(health, routes);
  const streams = new OpenStreams();
  const catalogue = await openLiveCatalogue({
    file: options.catalogueFile,
    pollMs: options.cataloguePollMs,
    lookup: options.lookup,
    logger,
    onRoutes: (loaded) => routes.setRoutes(loaded),
    onReload: metrics.countReload,
  });
  const implementation: RouterServiceServer = {
    getRoutes: unary(`${SERVICE_NAME}/GetRoutes`, logger, getRoutes(routes)),
    watchRoutes: watchRoutes(routes, streams, logger),
    reportOutcomes: reportOutcomes(routes, metrics, streams, logger),
  };
  const server: GrpcServer = await startGrpcServer({
    host: options.host,
    port: options.port,
    socket: options.socket,
    logger,
    definition: RouterServiceService,
    implementation,
    serviceName: SERVICE_NAME,
    tls: options.tls,
    health: options.health,
  });
  server.setServing(true);
  const stop = async (graceMs: number) => {
    server.setServing(false, 'stopping');
    catalogue.stop();
    streams.drain();
    await server.stop(graceMs);
    routes.close();
  };
  return { port: server.port, stop };
}

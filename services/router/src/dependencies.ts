import { type Authorize, authorizeBy } from '@tollgate/common/actors/authorize';
import { OpenStreams } from '@tollgate/common/grpc/server-stream';
import type { Logger } from '@tollgate/common/logging';
import { type LiveCatalogue, openLiveCatalogue } from './catalogue/live-catalogue.ts';
import type { Variables } from './catalogue/parse-in-worker.ts';
import type { RouterConfig } from './config.ts';
import { HealthBoard } from './health/health-board.ts';
import { createRouterMetrics, type RouterMetrics } from './health/metrics.ts';
import { ProbePool } from './probes/probe-pool.ts';
import { RouteStore } from './routes/route-store.ts';

/** How often the catalogue's time, size and identity are checked, for folders whose changes are not notified. */
const CATALOGUE_POLL_MS = 2_000;

/** Everything the handlers work with, created once at start. */
export interface Dependencies {
  config: RouterConfig;
  logger: Logger;
  authorize: Authorize;
  health: HealthBoard;
  routes: RouteStore;
  metrics: RouterMetrics;
  catalogue: LiveCatalogue;
  streams: OpenStreams;
  probes: ProbePool;
}

/**
 * Creates the dependencies, and loads the catalogue.
 *
 * @param variables that base URLs name; the environment of the process by default
 * @throws CatalogueError when the catalogue cannot be used
 */
export async function createDependencies(
  config: RouterConfig,
  logger: Logger,
  variables: Variables = process.env,
): Promise<Dependencies> {
  const health = new HealthBoard();
  const routes = new RouteStore(health, Date.now, logger);
  const metrics = createRouterMetrics(health, () => routes.listenerCount);
  const catalogue = await openLiveCatalogue({
    file: config.CATALOGUE_FILE,
    pollMs: CATALOGUE_POLL_MS,
    variables,
    logger,
    onRoutes: (loaded) => routes.setRoutes(loaded),
    onReload: metrics.countReload,
  });
  const authorize = authorizeBy(config.ACTOR_PUBLIC_KEYS);
  const streams = new OpenStreams();
  return { config, logger, authorize, health, routes, metrics, catalogue, streams, probes: new ProbePool() };
}

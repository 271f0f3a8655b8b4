import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { GetCatalogueRequest, GetCatalogueResponse } from '@tollgate/proto/router';
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts';
import { toCatalogueErrors } from '../catalogue/problem.ts';
import type { RouteStore } from '../routes/route-store.ts';

/** The catalogue file in use, and where it defines its models. */
export function createGetCatalogueHandler({
  catalogue,
  routes,
}: {
  catalogue: LiveCatalogue;
  routes: RouteStore;
}): UnaryHandler<GetCatalogueRequest, GetCatalogueResponse> {
  return async () => {
    const { file, loadedAtMs, problems, lines, warnings } = catalogue.inUse;
    return {
      file,
      version: routes.table.version,
      loadedAtMs: BigInt(loadedAtMs),
      errors: toCatalogueErrors(problems),
      models: lines,
      warnings: toCatalogueErrors(warnings),
    };
  };
}

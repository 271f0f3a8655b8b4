import { unaryCall } from '@tollgate/common/grpc/client';
import type { RouterServiceClient } from '@tollgate/proto/router';
import type { RouterReplicas } from '../../health/router-replicas.ts';
import type { Handler } from '../../http/handler.ts';
import { renderProviders } from '../../render/provider.ts';

/** Providers and their deployments with their health. */
export function createListProvidersHandler({
  router,
  routerReplicas,
}: {
  router: RouterServiceClient;
  routerReplicas: RouterReplicas;
}): Handler<'GET /operator/providers'> {
  return async ({ rpc }) => {
    const options = await rpc();
    const [table, health, statuses] = await Promise.all([
      unaryCall(router.getRoutes.bind(router), {}, options),
      routerReplicas.readHealth(options),
      routerReplicas.readProviders(options),
    ]);
    return { data: renderProviders(table, health, statuses) };
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { RouterServiceClient } from '@tollgate/proto/router';
import type { Handler } from '../../http/handler.ts';
import { renderProviders } from '../../render/provider.ts';

/** Providers and their deployments with their health. */
export function createListProvidersHandler({
  router,
}: {
  router: RouterServiceClient;
}): Handler<'GET /operator/providers'> {
  return async ({ rpc }) => {
    const options = await rpc();
    const [table, { deployments }] = await Promise.all([
      unaryCall(router.getRoutes.bind(router), {}, options),
      unaryCall(router.getHealth.bind(router), {}, options),
    ]);
    return { data: renderProviders(table, deployments) };
  };
}

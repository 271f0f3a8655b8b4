import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { GetCatalogueResponse, RouterServiceClient } from '@tollgate/proto/router';
import type { Acting, Handler } from '../../http/handler.ts';
import { renderModels } from '../../render/model.ts';

/** Models and their prices, now and announced. */
export function createListModelsHandler({
  router,
}: {
  router: RouterServiceClient;
}): Handler<'GET /accounts/{account_id}/models'> & Handler<'GET /operator/models'> {
  return async ({ rpc }: Pick<Acting, 'rpc'>) => {
    const options = await rpc();
    const [table, catalogue] = await Promise.all([
      unaryCall(router.getRoutes.bind(router), {}, options),
      readCatalogue(router, options),
    ]);
    return { data: renderModels(table, catalogue, Date.now()) };
  };
}

/** Undefined from a router of an earlier version, as during an upgrade: models have no line then. */
async function readCatalogue(
  router: RouterServiceClient,
  options: UnaryCallOptions,
): Promise<GetCatalogueResponse | undefined> {
  try {
    return await unaryCall(router.getCatalogue.bind(router), {}, options);
  } catch (error) {
    if (isGrpcError(error) && error.code === status.UNIMPLEMENTED) return undefined;
    throw error;
  }
}

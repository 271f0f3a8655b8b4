import { unaryCall } from '@tollgate/common/grpc/client';
import type { RouterServiceClient } from '@tollgate/proto/router';
import type { Handler } from '../../http/handler.ts';
import { renderTime } from '../../render/time.ts';

/** The catalogue file in use. */
export function createGetCatalogueHandler({
  router,
}: {
  router: RouterServiceClient;
}): Handler<'GET /operator/catalogue'> {
  return async ({ rpc }) => {
    const catalogue = await unaryCall(router.getCatalogue.bind(router), {}, await rpc());
    return {
      file: catalogue.file,
      version: catalogue.version,
      loaded_at: renderTime(catalogue.loadedAtMs),
      errors: catalogue.errors,
      models: catalogue.models.map(({ modelId, line }) => ({ model: modelId, line })),
    };
  };
}

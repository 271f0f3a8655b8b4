import { status } from '@grpc/grpc-js';
import { NO_PRICE_RULES } from '@tollgate/common/billing/price-rules';
import { isGrpcError } from '@tollgate/common/errors';
import { MAX_CATALOGUE_BYTES } from '@tollgate/common/file-sizes';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { GetCatalogueResponse, RouterServiceClient } from '@tollgate/proto/router';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { modelsOf } from '../models/models.ts';
import { estimateLastMonth } from '../usage/price-estimate.ts';

/** Comparing parses the whole file. */
const COMPARE_DEADLINE_MS = 20_000;

/** Handlers of the catalogue. */
export function modelHandlers({ auth, ledger, router }: Dependencies) {
  return {
    listModels: async ({ accountId }, { rpc }) => {
      const options = await rpc();
      const [table, catalogue, own] = await Promise.all([
        unaryCall(router.getRoutes.bind(router), {}, options),
        readCatalogue(router, options),
        accountId === '' ? undefined : unaryCall(auth.getPriceRules.bind(auth), { accountId }, options),
      ]);
      return { data: modelsOf(table, catalogue, own?.rules ?? NO_PRICE_RULES, Date.now()) };
    },

    compareCatalogue: async (request, { rpc }) => {
      // The description counts characters.
      if (Buffer.byteLength(request.content) > MAX_CATALOGUE_BYTES)
        throw apiErrors.invalid('content', `must have at most ${MAX_CATALOGUE_BYTES} bytes`);
      const options = await rpc(COMPARE_DEADLINE_MS);
      const compared = await unaryCall(router.compareCatalogue.bind(router), request, options);
      const lastMonth = await estimateLastMonth(ledger, compared.changes, { nowMs: Date.now(), options });
      return { ...compared, lastMonth };
    },
  } satisfies Partial<Handlers>;
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

import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { RouterServiceClient } from '@tollgate/proto/router';
import { apiErrors } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { textOrNull } from '../../render/time.ts';
import { estimateLastMonth } from '../../usage/price-estimate.ts';

/** The router's limit; the schema counts characters. */
const MAX_BYTES = 1024 * 1024;
/** Comparing parses the whole file. */
const DEADLINE_MS = 20_000;

/** What would change with another catalogue file; nothing is changed. */
export function createCompareCatalogueHandler({
  ledger,
  router,
}: {
  ledger: LedgerServiceClient;
  router: RouterServiceClient;
}): Handler<'POST /operator/catalogue/compare'> {
  return async ({ body, rpc }) => {
    if (Buffer.byteLength(body.content) > MAX_BYTES)
      throw apiErrors.invalid('content', `must have at most ${MAX_BYTES} bytes`);
    const request = { content: body.content };
    const options = await rpc(DEADLINE_MS);
    const { errors, changes } = await unaryCall(router.compareCatalogue.bind(router), request, options);
    return {
      errors,
      changes: changes.map(({ modelId, field, before, after }) => ({
        model: modelId,
        field,
        before: textOrNull(before),
        after: textOrNull(after),
      })),
      last_month: await estimateLastMonth(ledger, changes, { nowMs: Date.now(), options }),
    };
  };
}

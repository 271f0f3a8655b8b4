import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { renderQuarantined } from '../../render/quarantined.ts';
import { textOrNull } from '../../render/time.ts';

/** Charges that could not be posted. */
export function createListQuarantinedHandler({
  ledger,
}: {
  ledger: LedgerServiceClient;
}): Handler<'GET /operator/quarantine'> {
  return async ({ query, rpc }) => {
    const request = { accountId: '', limit: query.limit, cursor: query.cursor ?? '' };
    const { charges, nextCursor } = await unaryCall(ledger.listQuarantined.bind(ledger), request, await rpc());
    return { data: charges.map(renderQuarantined), next_cursor: textOrNull(nextCursor) };
  };
}

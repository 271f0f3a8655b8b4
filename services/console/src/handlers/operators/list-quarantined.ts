import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { readAccountNames } from '../../lookups/account-names.ts';
import { renderQuarantined } from '../../render/quarantined.ts';
import { textOrNull } from '../../render/time.ts';

/** Charges that could not be posted. */
export function createListQuarantinedHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /operator/quarantine'> {
  return async ({ query, rpc }) => {
    const request = { accountId: '', limit: query.limit, cursor: query.cursor ?? '' };
    const options = await rpc();
    const { charges, nextCursor } = await unaryCall(ledger.listQuarantined.bind(ledger), request, options);
    const ids = charges.map(({ accountId }) => accountId);
    const names = await readAccountNames(auth, ids, options);
    return {
      data: charges.map((charge) => ({
        ...renderQuarantined(charge),
        account_name: names.get(charge.accountId) ?? '',
      })),
      next_cursor: textOrNull(nextCursor),
    };
  };
}

import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import { ApiError } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { findRequest } from '../../lookups/find-request.ts';
import { PendingLookups } from '../../lookups/pending-lookups.ts';
import { nameRefusedKeys } from '../../lookups/refused-keys.ts';
import { renderRequest } from '../../render/request.ts';

/** A request by its request id or trace id. Waits a moment for the record of a young one. */
export function createGetRequestHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/requests/{id}'> {
  const lookups = new PendingLookups();
  return async ({ path: { account_id: accountId, id }, role, rpc }) => {
    const options = await rpc();
    const found = await lookups.run(accountId, id, Date.now(), (waitMs) =>
      findRequest(id, { ledger, accountId, waitMs, rpc: options }),
    );
    const known = found === undefined ? [] : [found];
    const [request] = await nameRefusedKeys(known, { auth, accountId, role, rpc: options });
    if (request !== undefined) return renderRequest(request);
    throw new ApiError(
      'not_found',
      'No request of this account has this request id or trace id. Refused requests are kept for 7 days.',
    );
  };
}

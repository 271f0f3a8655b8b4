import { timeOfId } from '@tollgate/common/ids';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { nameRefusedKeys } from '../../lookups/refused-keys.ts';
import { readCursor } from '../../pages/cursor.ts';
import { readRequestPage, selectRequests } from '../../pages/request-page.ts';
import { renderRequestRow } from '../../render/request.ts';

/** Requests of a time range, charged and refused, newest first. */
export function createListRequestsHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/requests'> {
  return async ({ path, query, role, rpc }) => {
    const options = await rpc();
    const selection = selectRequests(path.account_id, query);
    const after = readCursor(query.cursor);
    const { items, next } = await readRequestPage(ledger, selection, { after, limit: query.limit }, options);
    const requests = await nameRefusedKeys(items, { auth, accountId: path.account_id, role, rpc: options });
    return {
      data: requests.map(renderRequestRow),
      next_cursor: next === '' ? null : next,
      searched_to: next === '' ? null : new Date(timeOfId(next)).toISOString(),
    };
  };
}

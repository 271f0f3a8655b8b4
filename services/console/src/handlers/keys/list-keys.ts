import { unaryCall } from '@tollgate/common/grpc/client';
import { type ApiKey, type AuthServiceClient, KeyStatus } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { isPlaygroundKey } from '../../playground/playground-key.ts';
import { renderKeyWithUsage } from '../../render/key.ts';
import { textOrNull } from '../../render/time.ts';
import { readKeySpending } from '../../usage/key-spending.ts';

/** Pages of auth that are read for one page with a matching key. */
const MAX_PAGES = 10;

/** Keys with what they have spent, newest first. */
export function createListKeysHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/keys'> {
  return async ({ path, query, rpc }) => {
    const accountId = path.account_id;
    const options = await rpc();
    const nowMs = Date.now();
    const shown = query.status === 'all' ? () => true : isInUse;
    let pageToken = query.cursor ?? '';
    let keys: ApiKey[] = [];
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const request = { accountId, pageSize: query.limit, pageToken, text: query.q };
      const page = await unaryCall(auth.listKeys.bind(auth), request, options);
      keys = page.keys.filter(shown);
      pageToken = page.nextPageToken;
      if (keys.length > 0 || pageToken === '') break;
    }
    const spending = await readKeySpending(ledger, accountId, keys, options);
    return {
      data: keys.map((key) => renderKeyWithUsage(key, spending, nowMs)),
      next_cursor: textOrNull(pageToken),
    };
  };
}

/** Expired keys are listed, because they can be given a later expiry; those of the playground have served their purpose. */
function isInUse(key: ApiKey): boolean {
  return key.status === KeyStatus.ACTIVE || (key.status === KeyStatus.EXPIRED && !isPlaygroundKey(key));
}

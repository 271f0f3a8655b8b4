import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { renderKeyWithUsage } from '../../render/key.ts';
import { required } from '../../required.ts';
import { readKeySpending } from '../../usage/key-spending.ts';

/** A key with what it has spent. */
export function createGetKeyHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/keys/{key_id}'> {
  return async ({ path, rpc }) => {
    const options = await rpc();
    const request = { accountId: path.account_id, keyId: path.key_id };
    const key = required((await unaryCall(auth.getKey.bind(auth), request, options)).key);
    return renderKeyWithUsage(key, await readKeySpending(ledger, key.accountId, [key], options), Date.now());
  };
}

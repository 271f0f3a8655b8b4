import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { readAccountNames } from '../../lookups/account-names.ts';
import { renderKey } from '../../render/key.ts';

/** Finds a leaked key. An operator finds it whatever account it belongs to. */
export function createFindKeysHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /accounts/{account_id}/keys/find'> {
  return async ({ path, body, role, rpc }) => {
    const isOperator = role === 'operator';
    const by =
      'sha256' in body
        ? { $case: 'keySha256' as const, value: Buffer.from(body.sha256, 'hex') }
        : { $case: 'lastFour' as const, value: body.last_four };
    const options = await rpc();
    const accountId = isOperator ? '' : path.account_id;
    const { keys } = await unaryCall(auth.findKeys.bind(auth), { accountId, by }, options);
    const accountIds = keys.map((key) => key.accountId);
    const names = isOperator ? await readAccountNames(auth, accountIds, options) : new Map<string, string>();
    return {
      data: keys.map((key) => ({ ...renderKey(key), account_name: names.get(key.accountId) ?? null })),
    };
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderManagementKey } from '../../render/member.ts';

/** Management keys of an account, newest first. */
export function createListManagementKeysHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'GET /accounts/{account_id}/management-keys'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id };
    const { keys } = await unaryCall(auth.listManagementKeys.bind(auth), request, await rpc());
    const nowMs = Date.now();
    return { data: keys.map((key) => renderManagementKey(key, nowMs)) };
  };
}

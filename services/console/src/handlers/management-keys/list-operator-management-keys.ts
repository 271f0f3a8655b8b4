import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderManagementKey } from '../../render/member.ts';

/** Management keys of operators, newest first. */
export function createListOperatorManagementKeysHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'GET /operator/management-keys'> {
  return async ({ rpc }) => {
    const { keys } = await unaryCall(auth.listManagementKeys.bind(auth), { accountId: '' }, await rpc());
    const nowMs = Date.now();
    return { data: keys.map((key) => renderManagementKey(key, nowMs)) };
  };
}

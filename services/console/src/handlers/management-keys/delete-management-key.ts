import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderManagementKey } from '../../render/member.ts';
import { required } from '../../required.ts';

/** Deletes a management key of an account. */
export function createDeleteManagementKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'DELETE /accounts/{account_id}/management-keys/{management_key_id}'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id, managementKeyId: path.management_key_id };
    const { key } = await unaryCall(auth.deleteManagementKey.bind(auth), request, await rpc());
    return renderManagementKey(required(key), Date.now());
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderManagementKey } from '../../render/member.ts';
import { required } from '../../required.ts';

/** Deletes a management key of operators. */
export function createDeleteOperatorManagementKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'DELETE /operator/management-keys/{management_key_id}'> {
  return async ({ path, rpc }) => {
    const request = { accountId: '', managementKeyId: path.management_key_id };
    const { key } = await unaryCall(auth.deleteManagementKey.bind(auth), request, await rpc());
    return renderManagementKey(required(key), Date.now());
  };
}

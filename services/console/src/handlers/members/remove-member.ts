import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderKey } from '../../render/key.ts';
import { renderManagementKey } from '../../render/member.ts';

/** Removes a member; returns the active API keys and management keys they made. */
export function createRemoveMemberHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'DELETE /accounts/{account_id}/members/{person_id}'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id, personId: path.person_id };
    const { keys, managementKeys } = await unaryCall(auth.removeMember.bind(auth), request, await rpc());
    const nowMs = Date.now();
    return {
      keys: keys.map(renderKey),
      management_keys: managementKeys.map((key) => renderManagementKey(key, nowMs)),
    };
  };
}

import { roleOf } from '@tollgate/common/actors/roles';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderManagementKey } from '../../render/member.ts';
import { required } from '../../required.ts';

/** Creates a management key of an account; its value is only in this response. */
export function createCreateManagementKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /accounts/{account_id}/management-keys'> {
  return async ({ path, body, rpc }) => {
    const request = {
      accountId: path.account_id,
      name: body.name,
      role: roleOf(body.role),
      expiresAtMs: BigInt(Date.parse(body.expires_at)),
    };
    const { key, secret } = await unaryCall(auth.createManagementKey.bind(auth), request, await rpc());
    return { key: renderManagementKey(required(key), Date.now()), secret };
  };
}

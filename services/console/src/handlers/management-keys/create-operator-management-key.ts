import { roleOf } from '@tollgate/common/actors/roles';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderManagementKey } from '../../render/member.ts';
import { required } from '../../required.ts';

/** Creates a management key for all accounts; its value is only in this response. */
export function createCreateOperatorManagementKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /operator/management-keys'> {
  return async ({ body, rpc }) => {
    const expiresAtMs = BigInt(Date.parse(body.expires_at));
    const request = { accountId: '', name: body.name, role: roleOf('operator'), expiresAtMs };
    const { key, secret } = await unaryCall(auth.createManagementKey.bind(auth), request, await rpc());
    return { key: renderManagementKey(required(key), Date.now()), secret };
  };
}

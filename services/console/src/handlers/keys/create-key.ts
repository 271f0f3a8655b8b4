import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { attributesOfNewKey } from '../../attributes/key-attributes.ts';
import type { Handler } from '../../http/handler.ts';
import { renderKey } from '../../render/key.ts';
import { required } from '../../required.ts';

/** Creates a key; its value is only in this response. */
export function createCreateKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /accounts/{account_id}/keys'> {
  return async ({ path, body, rpc }) => {
    const request = { accountId: path.account_id, name: body.name, ...attributesOfNewKey(body) };
    const { key, secret } = await unaryCall(auth.createKey.bind(auth), request, await rpc());
    return { key: renderKey(required(key), Date.now()), secret };
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { changedAttributes } from '../../attributes/key-attributes.ts';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../../changes/unconfirmed.ts';
import type { Handler } from '../../http/handler.ts';
import { renderKey } from '../../render/key.ts';
import { required } from '../../required.ts';

/** Changes a key; the change is in force at every ingress when the call returns. */
export function createUpdateKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'PATCH /accounts/{account_id}/keys/{key_id}'> {
  return async ({ path, body, rpc }) => {
    const request = {
      accountId: path.account_id,
      keyId: path.key_id,
      name: body.name,
      ...changedAttributes(body),
    };
    const call = unaryCall(auth.updateKey.bind(auth), request, await rpc(CHANGE_DEADLINE_MS));
    const { key } = await reportUnconfirmed(call, 'The key is changed');
    return renderKey(required(key), Date.now());
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderConfirmation } from '../../render/key.ts';

/** Which ingresses have confirmed the last change of a key. */
export function createGetKeyPropagationHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'GET /accounts/{account_id}/keys/{key_id}/propagation'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id, keyId: path.key_id };
    const { confirmations } = await unaryCall(auth.getKeyPropagation.bind(auth), request, await rpc());
    return { confirmations: confirmations.map(renderConfirmation) };
  };
}

import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient, DeleteKeyResponse } from '@tollgate/proto/auth';
import { CHANGE_DEADLINE_MS, isUnconfirmed } from '../../changes/unconfirmed.ts';
import type { Handler } from '../../http/handler.ts';
import { renderConfirmation, renderKey } from '../../render/key.ts';
import { required } from '../../required.ts';

/**
 * Deletes a key. If not every ingress confirms in time, the key is deleted all the same: the response says which have
 * confirmed.
 */
export function createDeleteKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'DELETE /accounts/{account_id}/keys/{key_id}'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id, keyId: path.key_id };
    const { key, confirmations } = await deleteKey(auth, request, rpc);
    return { key: renderKey(required(key)), confirmations: confirmations.map(renderConfirmation) };
  };
}

async function deleteKey(
  auth: AuthServiceClient,
  request: { accountId: string; keyId: string },
  rpc: (deadlineMs?: number) => Promise<UnaryCallOptions>,
): Promise<DeleteKeyResponse> {
  try {
    return await unaryCall(auth.deleteKey.bind(auth), request, await rpc(CHANGE_DEADLINE_MS));
  } catch (error) {
    if (!isUnconfirmed(error)) throw error;
    const options = await rpc();
    const [{ key }, { confirmations }] = await Promise.all([
      unaryCall(auth.getKey.bind(auth), request, options),
      unaryCall(auth.getKeyPropagation.bind(auth), request, options),
    ]);
    if (key?.deletedAtMs === 0n) throw error;
    return { key, confirmations };
  }
}

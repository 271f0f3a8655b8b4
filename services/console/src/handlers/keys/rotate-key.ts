import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../../changes/unconfirmed.ts';
import type { Handler } from '../../http/handler.ts';
import { renderKey } from '../../render/key.ts';
import { required } from '../../required.ts';

/** Gives a key a new value. Repeated with the same idempotency key, it returns another value in place of the lost one. */
export function createRotateKeyHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /accounts/{account_id}/keys/{key_id}/rotate'> {
  return async ({ path, body, rpc }) => {
    const request = {
      accountId: path.account_id,
      keyId: path.key_id,
      overlapMs: BigInt(body.overlap_seconds) * 1_000n,
      idempotencyKey: body.idempotency_key,
    };
    const call = unaryCall(auth.rotateKey.bind(auth), request, await rpc(CHANGE_DEADLINE_MS));
    const { key, secret } = await reportUnconfirmed(call, 'The key has a new value');
    return { key: renderKey(required(key), Date.now()), secret };
  };
}

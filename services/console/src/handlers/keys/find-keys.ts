import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderKey } from '../../render/key.ts';

/** Finds a leaked key. With the SHA-256 of a value, an operator finds it whatever account it belongs to. */
export function createFindKeysHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /accounts/{account_id}/keys/find'> {
  return async ({ path, body, role, rpc }) => {
    const bySha256 = 'sha256' in body;
    const by = bySha256
      ? { $case: 'keySha256' as const, value: Buffer.from(body.sha256, 'hex') }
      : { $case: 'lastFour' as const, value: body.last_four };
    const accountId = role === 'operator' && bySha256 ? '' : path.account_id;
    const { keys } = await unaryCall(auth.findKeys.bind(auth), { accountId, by }, await rpc());
    const nowMs = Date.now();
    return { data: keys.map((key) => renderKey(key, nowMs)) };
  };
}

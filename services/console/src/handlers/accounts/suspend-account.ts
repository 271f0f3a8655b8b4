import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../../changes/unconfirmed.ts';
import type { Handler } from '../../http/handler.ts';
import { renderAccount } from '../../render/account.ts';
import { required } from '../../required.ts';

/** Suspends an account: no ingress accepts its keys when the call returns. */
export function createSuspendAccountHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /accounts/{account_id}/suspend'> {
  return async ({ path, body, rpc }) => {
    const request = { accountId: path.account_id, reason: body.reason };
    const call = unaryCall(auth.suspendAccount.bind(auth), request, await rpc(CHANGE_DEADLINE_MS));
    const { account } = await reportUnconfirmed(call, 'The account is suspended');
    return renderAccount(required(account));
  };
}

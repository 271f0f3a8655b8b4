import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../../changes/unconfirmed.ts';
import type { Handler } from '../../http/handler.ts';
import { renderAccount } from '../../render/account.ts';
import { required } from '../../required.ts';

/** Lifts the suspension of an account. */
export function createResumeAccountHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'POST /accounts/{account_id}/resume'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id };
    const call = unaryCall(auth.resumeAccount.bind(auth), request, await rpc(CHANGE_DEADLINE_MS));
    const { account } = await reportUnconfirmed(call, 'The account is resumed');
    return renderAccount(required(account));
  };
}

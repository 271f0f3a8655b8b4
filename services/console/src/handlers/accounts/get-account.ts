import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderAccount } from '../../render/account.ts';
import { required } from '../../required.ts';

export function createGetAccountHandler({ auth }: { auth: AuthServiceClient }): Handler<'GET /accounts/{account_id}'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id };
    const { account } = await unaryCall(auth.getAccount.bind(auth), request, await rpc());
    return renderAccount(required(account));
  };
}

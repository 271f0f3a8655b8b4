import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderAccount } from '../../render/account.ts';
import { required } from '../../required.ts';

export function createCreateAccountHandler({ auth }: { auth: AuthServiceClient }): Handler<'POST /operator/accounts'> {
  return async ({ body, rpc }) => {
    const request = { name: body.name, idempotencyKey: body.idempotency_key };
    const { account } = await unaryCall(auth.createAccount.bind(auth), request, await rpc());
    return renderAccount(required(account));
  };
}

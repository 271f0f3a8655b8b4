import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';

/** Turns e-mails of alerts on or off. */
export function createSetAlertMailsHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'PUT /accounts/{account_id}/alert-mails'> {
  return async ({ path, body: { enabled }, rpc }) => {
    await unaryCall(auth.setAlertMails.bind(auth), { accountId: path.account_id, enabled }, await rpc());
    return { enabled };
  };
}

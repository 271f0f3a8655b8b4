import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';

/** Withdraws an invitation. */
export function createDeleteInvitationHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'DELETE /accounts/{account_id}/invitations/{invitation_id}'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id, invitationId: path.invitation_id };
    await unaryCall(auth.deleteInvitation.bind(auth), request, await rpc());
  };
}

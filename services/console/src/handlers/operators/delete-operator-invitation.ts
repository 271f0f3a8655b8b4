import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';

/** Withdraws an invitation of an operator. */
export function createDeleteOperatorInvitationHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'DELETE /operator/invitations/{invitation_id}'> {
  return async ({ path, rpc }) => {
    const request = { accountId: '', invitationId: path.invitation_id };
    await unaryCall(auth.deleteInvitation.bind(auth), request, await rpc());
  };
}

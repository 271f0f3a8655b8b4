import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { DeleteInvitationRequest, DeleteInvitationResponse } from '@tollgate/proto/auth';
import { requireMayManage } from '../rules/actor-rules.ts';
import { insertAudit } from '../store/audit.ts';
import { findInvitationById, removeInvitation } from '../store/invitations.ts';

/** Withdraws an open invitation. */
export function createDeleteInvitationHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<DeleteInvitationRequest, DeleteInvitationResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const invitationId = uuidArgument('invitation_id', request.invitationId);
    await inTransaction(pool, async (client) => {
      const invitation = await findInvitationById(client, accountId, invitationId);
      if (invitation !== undefined) requireMayManage(actor, invitation.role);
      if (invitation === undefined || !(await removeInvitation(client, invitationId))) {
        throw new RpcError('not_found', 'no such open invitation');
      }
      const target = { targetId: invitationId, targetName: invitation.email, details: { role: invitation.role } };
      await insertAudit(client, { accountId, actor, action: 'invitation.delete', ...target });
    });
    return {};
  };
}

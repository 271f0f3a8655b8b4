import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderInvitation, renderMember } from '../../render/member.ts';

/** Members and open invitations. */
export function createListMembersHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'GET /accounts/{account_id}/members'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id };
    const options = await rpc();
    const [{ members }, { invitations }] = await Promise.all([
      unaryCall(auth.listMembers.bind(auth), request, options),
      unaryCall(auth.listInvitations.bind(auth), request, options),
    ]);
    return { data: members.map(renderMember), invitations: invitations.map(renderInvitation) };
  };
}

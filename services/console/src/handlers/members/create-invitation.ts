import type { Handler } from '../../http/handler.ts';
import { type InvitationDependencies, invite } from '../../invitations/invite.ts';

/** Invites somebody to an account. */
export function createCreateInvitationHandler(
  deps: InvitationDependencies,
): Handler<'POST /accounts/{account_id}/invitations'> {
  return async ({ path, body, session, rpc }) => {
    const invited = { accountId: path.account_id, email: body.email, role: body.role, inviterId: session?.personId };
    return invite(deps, invited, await rpc());
  };
}

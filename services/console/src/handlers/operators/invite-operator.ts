import type { Handler } from '../../http/handler.ts';
import { type InvitationDependencies, invite } from '../../invitations/invite.ts';

/** Invites somebody to be an operator. */
export function createInviteOperatorHandler(deps: InvitationDependencies): Handler<'POST /operator/invitations'> {
  return async ({ body, session, rpc }) => {
    const invited = { accountId: '', email: body.email, role: 'operator' as const, inviterId: session?.personId };
    return invite(deps, invited, await rpc());
  };
}

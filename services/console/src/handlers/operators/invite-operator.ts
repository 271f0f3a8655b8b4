import type { Handler } from '../../http/handler.ts';
import { type InvitationDependencies, invite } from '../../invitations/invite.ts';

/** Invites somebody to be an operator. */
export function createInviteOperatorHandler(deps: InvitationDependencies): Handler<'POST /operator/invitations'> {
  return async ({ body, rpc }) => invite(deps, { accountId: '', email: body.email, role: 'operator' }, await rpc());
}

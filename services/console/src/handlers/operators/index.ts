import type { Dependencies } from '../../dependencies.ts';
import { passOn } from '../../http/old-pass-on.ts';
import { createInviteOperatorHandler } from './invite-operator.ts';
import { createListAccountsHandler } from './list-accounts.ts';

const AUTH = 'tollgate.auth.v1.AuthService';

/** Handlers for the people who run the gateway. */
export function createOperatorHandlers(deps: Dependencies) {
  return {
    'GET /operator/accounts': createListAccountsHandler(deps),
    'POST /operator/accounts': passOn<'POST /operator/accounts'>(deps.auth, `${AUTH}/CreateAccount`, {
      result: 'account',
    }),
    'POST /operator/invitations': createInviteOperatorHandler(deps),
    'DELETE /operator/invitations/{invitation_id}': passOn<'DELETE /operator/invitations/{invitation_id}'>(
      deps.auth,
      `${AUTH}/DeleteInvitation`,
    ),
  };
}

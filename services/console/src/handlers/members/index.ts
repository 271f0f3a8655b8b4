import type { Dependencies } from '../../dependencies.ts';
import { passOn } from '../../http/old-pass-on.ts';
import { createCreateInvitationHandler } from './create-invitation.ts';
import { createListMembersHandler } from './list-members.ts';
import { createUpdateMemberHandler } from './update-member.ts';

const AUTH = 'tollgate.auth.v1.AuthService';

/** Handlers of members and invitations. */
export function createMemberHandlers(deps: Dependencies) {
  return {
    'POST /accounts/{account_id}/invitations': createCreateInvitationHandler(deps),
    'DELETE /accounts/{account_id}/invitations/{invitation_id}':
      passOn<'DELETE /accounts/{account_id}/invitations/{invitation_id}'>(deps.auth, `${AUTH}/DeleteInvitation`),
    'GET /accounts/{account_id}/members': createListMembersHandler(deps),
    'DELETE /accounts/{account_id}/members/{person_id}': passOn<'DELETE /accounts/{account_id}/members/{person_id}'>(
      deps.auth,
      `${AUTH}/RemoveMember`,
    ),
    'PATCH /accounts/{account_id}/members/{person_id}': createUpdateMemberHandler(deps),
  };
}

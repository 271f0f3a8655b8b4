import type { Dependencies } from '../../dependencies.ts';
import { createCreateInvitationHandler } from './create-invitation.ts';
import { createDeleteInvitationHandler } from './delete-invitation.ts';
import { createListMembersHandler } from './list-members.ts';
import { createRemoveMemberHandler } from './remove-member.ts';
import { createUpdateMemberHandler } from './update-member.ts';

/** Handlers of members and invitations. */
export function createMemberHandlers(deps: Dependencies) {
  return {
    'POST /accounts/{account_id}/invitations': createCreateInvitationHandler(deps),
    'DELETE /accounts/{account_id}/invitations/{invitation_id}': createDeleteInvitationHandler(deps),
    'GET /accounts/{account_id}/members': createListMembersHandler(deps),
    'DELETE /accounts/{account_id}/members/{person_id}': createRemoveMemberHandler(deps),
    'PATCH /accounts/{account_id}/members/{person_id}': createUpdateMemberHandler(deps),
  };
}

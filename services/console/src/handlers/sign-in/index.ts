import type { Dependencies } from '../../dependencies.ts';
import { createAcceptInvitationHandler } from './accept-invitation.ts';
import { createChangePasswordHandler } from './change-password.ts';
import { createDecideDeviceHandler } from './decide-device.ts';
import { createEndSessionHandler } from './end-session.ts';
import { createFindDeviceHandler } from './find-device.ts';
import { createFindInvitationHandler } from './find-invitation.ts';
import { createGetSessionHandler } from './get-session.ts';
import { createListSessionsHandler } from './list-sessions.ts';
import { createRequestPasswordResetHandler } from './request-password-reset.ts';
import { createResetPasswordHandler } from './reset-password.ts';
import { createSignInHandler } from './sign-in.ts';
import { createUpdatePersonHandler } from './update-person.ts';
import { createViewAsHandler } from './view-as.ts';

/** Handlers of sessions, invitations, passwords and a person's own settings. */
export function createSignInHandlers(deps: Dependencies) {
  return {
    'POST /session': createSignInHandler(deps),
    'GET /session': createGetSessionHandler(deps),
    'PUT /session/view-as': createViewAsHandler(deps),
    'POST /password-resets': createRequestPasswordResetHandler(deps),
    'POST /password-resets/use': createResetPasswordHandler(deps),
    'POST /invitations/find': createFindInvitationHandler(deps),
    'POST /invitations/accept': createAcceptInvitationHandler(deps),
    'PATCH /person': createUpdatePersonHandler(deps),
    'PUT /person/password': createChangePasswordHandler(deps),
    'GET /person/sessions': createListSessionsHandler(deps),
    'POST /device-authorizations/find': createFindDeviceHandler(deps),
    'POST /device-authorizations/decide': createDecideDeviceHandler(deps),
    'DELETE /person/sessions/{session_id}': createEndSessionHandler(deps),
  };
}

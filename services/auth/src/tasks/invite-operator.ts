import { CreateInvitationRequest, Role } from '@tollgate/proto/auth';
import { createCreateInvitationHandler } from '../handlers/create-invitation.ts';
import { runMakeLink } from './make-link.ts';

const VALID_MS = 7 * 86_400_000;

/** Prints a link with which somebody becomes an operator: `invite-operator EMAIL CONSOLE_URL`. */
runMakeLink('invitation', (pool, { email, secretSha256, actor }) => {
  const expiresAtMs = BigInt(Date.now() + VALID_MS);
  const request = CreateInvitationRequest.fromPartial({ email, role: Role.OPERATOR, secretSha256, expiresAtMs });
  return createCreateInvitationHandler({ pool })(request, { actor, signal: new AbortController().signal });
});

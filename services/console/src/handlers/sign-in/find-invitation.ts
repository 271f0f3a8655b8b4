import { roleName } from '@tollgate/common/actors/roles';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { Pool } from '@tollgate/common/postgres/pool';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { renderTime, textOrNull } from '../../render/time.ts';
import { required } from '../../required.ts';
import { withLink } from '../../sign-in/attempt-limits.ts';

/** What an invitation link is for. */
export function createFindInvitationHandler({
  auth,
  pool,
}: {
  auth: AuthServiceClient;
  pool: Pool;
}): Handler<'POST /invitations/find'> {
  return async ({ body, client }) => {
    const request = { secretSha256: hashOfSecret(body.secret) };
    const finding = unaryCall(auth.getInvitation.bind(auth), request, { deadlineMs: 5_000 });
    const found = await withLink(pool, client.ip, finding);
    const invitation = required(found.invitation);
    return {
      email: invitation.email,
      account_name: textOrNull(invitation.accountName),
      role: required(roleName(invitation.role)),
      invited_by: invitation.invitedBy,
      expires_at: renderTime(invitation.expiresAtMs),
      person_exists: found.personExists,
    };
  };
}

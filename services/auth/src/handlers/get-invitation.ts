import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetInvitationRequest, GetInvitationResponse } from '@tollgate/proto/auth';
import { findInvitation, toInvitation } from '../store/invitations.ts';
import { findPersonByEmail } from '../store/people.ts';
import { sha256Argument } from './arguments.ts';

/** Finds an open invitation by the secret of its link. */
export function createGetInvitationHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetInvitationRequest, GetInvitationResponse> {
  return async (request) => {
    const invitation = await findInvitation(pool, sha256Argument('secret_sha256', request.secretSha256));
    if (invitation === undefined) throw new RpcError('not_found', 'the invitation is unknown, used or expired');
    // Whoever has a link that was not mailed may be the one who invites, and learns nothing of the address.
    const person = invitation.mailed ? await findPersonByEmail(pool, invitation.email) : undefined;
    return { invitation: toInvitation(invitation), personExists: person !== undefined };
  };
}

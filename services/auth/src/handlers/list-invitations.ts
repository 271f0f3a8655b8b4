import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListInvitationsRequest, ListInvitationsResponse } from '@tollgate/proto/auth';
import { MAX_MEMBERS } from '../people/limits.ts';
import { listInvitations, toInvitation } from '../store/invitations.ts';

/** Lists the open invitations of an account, or of operators. */
export function createListInvitationsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListInvitationsRequest, ListInvitationsResponse> {
  return async (request) => {
    const rows = await listInvitations(pool, optionalUuidArgument('account_id', request.accountId), MAX_MEMBERS);
    return { invitations: rows.map(toInvitation) };
  };
}

import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListMembersRequest, ListMembersResponse } from '@tollgate/proto/auth';
import { MAX_MEMBERS } from '../people/limits.ts';
import { listMembers, toMember } from '../store/memberships.ts';

/** Lists the members of an account. */
export function createListMembersHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListMembersRequest, ListMembersResponse> {
  return async (request) => {
    const rows = await listMembers(pool, uuidArgument('account_id', request.accountId), MAX_MEMBERS);
    return { members: rows.map(toMember) };
  };
}

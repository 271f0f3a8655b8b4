import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListProjectMembersRequest, ListProjectMembersResponse } from '@tollgate/proto/auth';
import { readPage } from '../nodes/read-page.ts';
import { toProjectMember } from '../store/node-messages.ts';

/** Lists a page of the people who own keys of a project or are limited in it. */
export function createListProjectMembersHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListProjectMembersRequest, ListProjectMembersResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = uuidArgument('project_id', request.projectId);
    return readPage(pool, { accountId, projectId, kind: 'member' }, request, toProjectMember);
  };
}

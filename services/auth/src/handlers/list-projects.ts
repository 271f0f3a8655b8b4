import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListProjectsRequest, ListProjectsResponse } from '@tollgate/proto/auth';
import { readPage } from '../nodes/read-page.ts';
import { toProject } from '../store/node-messages.ts';
import { ensureDefaultProject } from '../store/nodes.ts';

/** Lists a page of an account's projects, as far as the caller may use them. */
export function createListProjectsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListProjectsRequest, ListProjectsResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    await ensureDefaultProject(pool, accountId);
    const { projectIds: nodeIds } = actorOf(context);
    return readPage(pool, { accountId, projectId: undefined, kind: 'project', nodeIds }, request, toProject);
  };
}

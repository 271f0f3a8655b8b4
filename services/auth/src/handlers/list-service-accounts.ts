import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListServiceAccountsRequest, ListServiceAccountsResponse } from '@tollgate/proto/auth';
import { readPage } from '../nodes/read-page.ts';
import { mayUseProject } from '../rules/actor-rules.ts';
import { toServiceAccount } from '../store/node-messages.ts';

/** Lists a page of a project's service accounts. */
export function createListServiceAccountsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListServiceAccountsRequest, ListServiceAccountsResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = uuidArgument('project_id', request.projectId);
    if (!mayUseProject(actorOf(context), projectId)) return { data: [], nextCursor: '' };
    return readPage(pool, { accountId, projectId, kind: 'service_account' }, request, toServiceAccount);
  };
}

import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListLimitRequestsRequest, ListLimitRequestsResponse } from '@tollgate/proto/auth';
import { limitRequestFor, limitRequestScope } from '../limit-requests/scope.ts';
import { listLimitRequests } from '../store/limit-requests.ts';

/** Lists a page of limit requests; its cursor is the id of the last one before it. */
export function createListLimitRequestsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListLimitRequestsRequest, ListLimitRequestsResponse> {
  return async ({ accountId, status, limit, cursor }, context) => {
    const actor = actorOf(context);
    const scope = limitRequestScope(actor, uuidArgument('account_id', accountId));
    const before = optionalUuidArgument('cursor', cursor);
    const rows = await listLimitRequests(pool, scope, { open: status === 'open', before, limit: limit + 1 });
    const page = rows.slice(0, limit);
    return {
      data: page.map((row) => limitRequestFor(actor, row)),
      nextCursor: rows.length > limit ? (page.at(-1)?.limit_request_id ?? '') : '',
    };
  };
}

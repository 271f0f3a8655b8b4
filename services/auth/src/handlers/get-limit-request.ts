import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetLimitRequestRequest, GetLimitRequestResponse } from '@tollgate/proto/auth';
import { limitRequestFor, limitRequestScope, requireLimitRequest } from '../limit-requests/scope.ts';

/** Returns a limit request. */
export function createGetLimitRequestHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetLimitRequestRequest, GetLimitRequestResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const scope = limitRequestScope(actor, uuidArgument('account_id', request.accountId));
    const row = await requireLimitRequest(pool, scope, uuidArgument('limit_request_id', request.limitRequestId));
    return { limitRequest: limitRequestFor(actor, row) };
  };
}

import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { DeclineLimitRequestRequest, DeclineLimitRequestResponse } from '@tollgate/proto/auth';
import { endRequest } from '../limit-requests/end-request.ts';
import { limitRequestFor } from '../limit-requests/scope.ts';

/** Declines a limit request. */
export function createDeclineLimitRequestHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<DeclineLimitRequestRequest, DeclineLimitRequestResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const row = await endRequest(pool, {
      accountId: uuidArgument('account_id', request.accountId),
      limitRequestId: uuidArgument('limit_request_id', request.limitRequestId),
      actor,
      status: 'declined',
      action: 'limit_request.decline',
      note: request.note.trim(),
    });
    return { limitRequest: limitRequestFor(actor, row) };
  };
}

import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { WithdrawLimitRequestRequest, WithdrawLimitRequestResponse } from '@tollgate/proto/auth';
import { endRequest } from '../limit-requests/end-request.ts';
import { limitRequestFor } from '../limit-requests/scope.ts';

/** Withdraws a limit request. */
export function createWithdrawLimitRequestHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<WithdrawLimitRequestRequest, WithdrawLimitRequestResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const row = await endRequest(pool, {
      accountId: uuidArgument('account_id', request.accountId),
      limitRequestId: uuidArgument('limit_request_id', request.limitRequestId),
      actor,
      status: 'withdrawn',
      action: 'limit_request.withdraw',
      note: '',
    });
    return { limitRequest: limitRequestFor(actor, row) };
  };
}

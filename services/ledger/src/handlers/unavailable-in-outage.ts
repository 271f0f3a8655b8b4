import { messageOf, RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Logger } from '@tollgate/common/logging';
import { isOutage } from '../store/retry.ts';

/** Responds UNAVAILABLE when the database fails, so that callers retry and can distinguish it from a bug of the ledger. */
export function unavailableInOutage<Request, Response>(
  method: string,
  logger: Logger,
  handler: UnaryHandler<Request, Response>,
): UnaryHandler<Request, Response> {
  return async (request, context) => {
    try {
      return await handler(request, context);
    } catch (error) {
      if (!isOutage(error)) throw error;
      logger.warn({ method, reason: messageOf(error) }, 'a call failed because of the database');
      throw new RpcError('unavailable', 'the database is unavailable', { cause: error });
    }
  };
}

import { messageOf, RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Logger } from '@tollgate/common/logging';
import { isOutage } from '../store/retry.ts';

/** Answers UNAVAILABLE where the database fails, so that callers can tell it from a fault of the ledger, and try again. */
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
      logger.warn({ method, reason: messageOf(error) }, 'the database failed a call');
      throw new RpcError('unavailable', 'the database does not answer', { cause: error });
    }
  };
}

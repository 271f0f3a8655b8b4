import { FieldProblem } from '@tollgate/common/descriptors/problem';
import { failedWith, isGrpcError } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { ErrorRequestHandler } from 'express';
import { ApiError, apiErrors } from './api-error.ts';
import { fromRpcError } from './rpc-errors.ts';

/** Sends whatever an operation threw as an error response. Unexpected errors are logged. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = toApiError(thrown, req.method);
    if (error.status >= 500 && !req.destroyed)
      logger[error.status === 500 ? 'error' : 'warn'](
        { err: error.cause, route: res.locals['route'] },
        'request failed',
      );
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    if (error.retryAfterS !== undefined) res.setHeader('retry-after', String(error.retryAfterS));
    // An unread body would be read as the next request.
    if (!req.complete) res.setHeader('connection', 'close');
    res.status(error.status).json(error.toBody());
  };
}

function toApiError(thrown: unknown, method: string): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof FieldProblem) return apiErrors.invalid(thrown.field, thrown.message);
  // A service may go on with a change after its deadline.
  if (failedWith(thrown, 'deadline_exceeded') && method !== 'GET') return apiErrors.unconfirmed(thrown);
  if (isGrpcError(thrown)) return fromRpcError(thrown);
  // Express throws a URIError for a path that it cannot decode.
  if (thrown instanceof URIError) return new ApiError('invalid_request', 'The path is not validly percent-encoded.');
  return apiErrors.internal(thrown);
}

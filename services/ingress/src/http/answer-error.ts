import type { Dependencies } from '../dependencies.ts';
import { ApiError, apiErrors } from '../errors/api-error.ts';
import { sendError } from '../errors/render.ts';
import type { TollgateRequest, TollgateResponse } from './request-context.ts';

/** Answers anything thrown by an endpoint, in the shape of the request's path. What was not foreseen is logged. */
export function answerError(
  { logger }: Pick<Dependencies, 'logger'>,
  thrown: unknown,
  req: TollgateRequest,
  res: TollgateResponse,
): void {
  const { context } = res.locals;
  const error = thrown instanceof ApiError ? thrown : (requestErrorOf(thrown) ?? apiErrors.internal(thrown));
  if (error.status === 500)
    logger.error({ err: error.cause, trace_id: context.traceId, request_id: context.requestId }, 'request failed');
  if (res.headersSent || res.destroyed) {
    // The words for the client may be an upstream's, and those of the prompt.
    logger.warn({ trace_id: context.traceId, error: error.type }, 'an error came after the head was sent');
    res.destroy();
    return;
  }
  // Nothing more is used: what was taken is free before the client hears that it may come again.
  context.admission?.settle(0);
  sendError(res, error, context.surface, context.traceUuid);
  if (!req.complete) req.resume();
}

/** Express says of a path it cannot decode that it is the client's fault. */
function requestErrorOf(thrown: unknown): ApiError | undefined {
  return thrown instanceof URIError ? apiErrors.invalidRequest('The path is not validly percent-encoded.') : undefined;
}

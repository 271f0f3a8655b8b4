import type { Logger } from '@tollgate/common/logging';
import { ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { sendError } from '../../shared/errors/render.ts';
import type { TollgateRequest, TollgateResponse } from '../../shared/request/request-context.ts';
import { recordRefusal } from '../refusals/record-refusal.ts';
import type { RefusalReporter } from '../refusals/refusal-reporter.ts';

/** Sends whatever an endpoint threw as an error response of the request's surface. Unexpected errors are logged. */
export async function sendThrownError(
  logger: Logger,
  refusals: Pick<RefusalReporter, 'record'>,
  thrown: unknown,
  req: TollgateRequest,
  res: TollgateResponse,
): Promise<void> {
  const { context } = res.locals;
  const error = thrown instanceof ApiError ? thrown : (requestErrorOf(thrown) ?? apiErrors.internal(thrown));
  if (error.status === 500)
    logger.error({ err: error.cause, trace_id: context.traceId, request_id: context.requestId }, 'request failed');
  if (res.headersSent || res.destroyed) {
    // The message is not logged: it may be the provider's and quote the prompt.
    logger.warn({ trace_id: context.traceId, error: error.type }, 'an error came after the head was sent');
    res.destroy();
    return;
  }
  // No tokens were used. The limits are corrected before the client learns that it may retry.
  await context.admission?.recordUsage(0);
  sendError(res, error, context.surface, context.traceUuid);
  recordRefusal(refusals, error, res);
  if (!req.complete) req.resume();
}

/** Express throws a URIError for a path that it cannot decode. */
function requestErrorOf(thrown: unknown): ApiError | undefined {
  return thrown instanceof URIError ? apiErrors.invalidRequest('The path is not validly percent-encoded.') : undefined;
}

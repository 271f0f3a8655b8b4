import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import { ApiError } from '../shared/errors/api-error.ts';
import { clientErrorOf } from '../shared/errors/render.ts';
import type { Exchange } from './exchange.ts';
import { responseContextOf } from './response-receiver.ts';

/** How a request reports an error as a stream that has failed. */
export type ErrorStream = Pick<ClientRequest, 'failedStream' | 'streamContentType'>;

/**
 * Sends an error as a stream that has failed, where clients of the protocol recognize the error only there.
 *
 * @returns whether it was sent; otherwise the error still needs a response
 */
export function sendErrorStream(exchange: Exchange, request: ErrorStream | undefined, error: unknown): boolean {
  const { res, context, client } = exchange;
  if (!(error instanceof ApiError) || res.headersSent || client.isClosed) return false;
  const stream = request?.failedStream?.(
    clientErrorOf(error),
    context.traceUuid,
    responseContextOf(exchange, undefined),
  );
  if (request === undefined || stream === undefined) return false;
  res.statusCode = 200;
  res.setHeader('content-type', request.streamContentType);
  res.setHeader('cache-control', 'no-cache');
  res.end(stream);
  return true;
}

import type { Surface } from '../surface/surface.ts';
import { ApiError } from './api-error.ts';
import { errorBody } from './render.ts';

export type RawErrorStatus = 400 | 405 | 408 | 431;

/** The ids of a response, and the surface that decides the shape of its body. */
export interface ResponseIds {
  surface: Surface;
  traceUuid: string;
  requestId: string;
}

const UNREADABLE: Record<RawErrorStatus, { phrase: string; message: string }> = {
  400: { phrase: 'Bad Request', message: 'The request is not valid HTTP.' },
  405: { phrase: 'Method Not Allowed', message: 'CONNECT is not supported.' },
  408: { phrase: 'Request Timeout', message: 'The complete request was not received in time.' },
  431: { phrase: 'Request Header Fields Too Large', message: "The request's headers are too large." },
};

/** The error of such a response. */
export function rawError(status: RawErrorStatus): ApiError {
  const { message } = UNREADABLE[status];
  return new ApiError({ status, type: 'invalid_request_error', reason: 'invalid_request', message });
}

/** A complete HTTP/1.1 response to a request that could not be parsed, or only in part. */
export function rawErrorResponse(status: RawErrorStatus, { surface, traceUuid, requestId }: ResponseIds): string {
  const { phrase } = UNREADABLE[status];
  const body = errorBody(rawError(status), surface, traceUuid);
  return [
    `HTTP/1.1 ${status} ${phrase}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-trace-id: ${traceUuid}`,
    `x-request-id: ${requestId}`,
    // A request that was too slow may be retried unchanged.
    ...(status === 408 ? [] : ['x-should-retry: false']),
    ...(status === 405 ? ['allow: GET, HEAD, POST'] : []),
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

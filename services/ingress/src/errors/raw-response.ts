import { ApiError } from './api-error.ts';
import { errorBody } from './render.ts';

const UNREADABLE: Record<408 | 400 | 431, { phrase: string; message: string }> = {
  400: { phrase: 'Bad Request', message: 'The request is not valid HTTP.' },
  408: { phrase: 'Request Timeout', message: 'The request was not sent whole in time.' },
  431: { phrase: 'Request Header Fields Too Large', message: "The request's headers are too large." },
};

/** A whole HTTP/1.1 answer for a request that could not be parsed. */
export function rawErrorResponse(status: 408 | 400 | 431, traceUuid: string, requestId: string): string {
  const { phrase, message } = UNREADABLE[status];
  const body = errorBody(new ApiError({ status, type: 'invalid_request_error', message }), 'model', traceUuid);
  return [
    `HTTP/1.1 ${status} ${phrase}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-trace-id: ${traceUuid}`,
    `x-request-id: ${requestId}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

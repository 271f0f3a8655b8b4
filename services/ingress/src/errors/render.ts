import type { ServerResponse } from 'node:http';
import type { ApiError, ErrorType } from './api-error.ts';

/** Statuses for which a client that tries again unchanged gets the same answer. */
function isWorthRetrying(status: number): boolean {
  return status === 429 || status >= 500;
}

/** The error body of model endpoints: `error` and, beside it, the trace id. */
export function modelErrorBody(error: ApiError, traceUuid: string): string {
  return JSON.stringify({
    error: { message: error.message, type: modelType(error.type), code: error.status, details: error.details },
    trace_id: traceUuid,
  });
}

/** The error body of billing endpoints: `error.code` is a text, and there is neither type nor trace id. */
export function billingErrorBody(error: ApiError): string {
  return JSON.stringify({ error: { code: billingCode(error), message: error.message } });
}

/** Answers a request with an error in the shape of its path. The head must still be open. */
export function sendError(res: ServerResponse, error: ApiError, surface: 'model' | 'billing', traceUuid: string): void {
  const body = surface === 'billing' ? billingErrorBody(error) : modelErrorBody(error, traceUuid);
  res.statusCode = error.status;
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('content-length', Buffer.byteLength(body));
  if (error.allow !== undefined) res.setHeader('allow', error.allow);
  if (error.status === 426) res.setHeader('upgrade', 'HTTP/1.1');
  if (error.retryAfterMs !== undefined) {
    res.setHeader('retry-after', Math.max(1, Math.ceil(error.retryAfterMs / 1_000)));
    res.setHeader('retry-after-ms', Math.max(1, Math.ceil(error.retryAfterMs)));
  }
  if (!isWorthRetrying(error.status)) res.setHeader('x-should-retry', 'false');
  res.end(body);
}

/** On model endpoints the list of types is closed: what is not found there is an invalid request. */
function modelType(type: ErrorType): ErrorType {
  return type === 'not_found' ? 'invalid_request_error' : type;
}

function billingCode(error: ApiError): string {
  switch (error.type) {
    case 'missing_auth_credential':
    case 'invalid_api_key':
    case 'invalid_bearer_token':
    case 'rate_limit_exceeded':
    case 'internal_error':
    case 'not_found':
      return error.type;
    case 'invalid_request_error':
      return error.status === 404 ? 'not_found' : 'invalid_request';
    case 'model_not_available':
    case 'model_not_supported':
    case 'insufficient_balance':
      return 'invalid_request';
    default:
      return error.type satisfies never;
  }
}

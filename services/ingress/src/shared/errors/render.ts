import type { ServerResponse } from 'node:http';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { ClientError } from '@tollgate/protocols/interface/errors';
import { protocolOf } from '@tollgate/protocols/registry';
import type { Surface } from '../request/surface.ts';
import type { ApiError, ErrorType } from './api-error.ts';

/** Whether an unchanged retry may succeed. */
function isWorthRetrying(status: number): boolean {
  return status === 429 || status >= 500;
}

/** The error body of a model endpoint, with the fields of its own protocol beside the contract's. */
function protocolErrorBody(error: ApiError, protocol: ProtocolName, traceUuid: string): string {
  return protocolOf(protocol).encodeError(clientErrorOf(error), traceUuid);
}

/** The error as protocols encode it. */
export function clientErrorOf({ message, type, status, details, overflow }: ApiError): ClientError {
  return { message, type: modelType(type), code: status, details, overflow };
}

/** The body of an error in the shape of a surface. */
export function errorBody(error: ApiError, surface: Surface, traceUuid: string): string {
  switch (surface) {
    case 'billing':
    case 'keys':
      return billingErrorBody(error);
    case 'messages':
      return protocolErrorBody(error, 'anthropic-messages', traceUuid);
    case 'generative':
      return protocolErrorBody(error, 'gemini', traceUuid);
    case 'model':
      return protocolErrorBody(error, 'openai-chat', traceUuid);
    default:
      return surface satisfies never;
  }
}

/** The error body of endpoints that call no model: `error.code` is a string, and there is neither type nor trace id. */
function billingErrorBody(error: ApiError): string {
  return JSON.stringify({ error: { code: billingCode(error), message: error.message } });
}

/** Sends an error response in the shape of a surface. The head must not be sent yet. */
export function sendError(res: ServerResponse, error: ApiError, surface: Surface, traceUuid: string): void {
  const body = errorBody(error, surface, traceUuid);
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

/** Model endpoints have no `not_found` type: it is an invalid request there. */
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

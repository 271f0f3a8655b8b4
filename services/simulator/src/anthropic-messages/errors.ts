import type { StatusFailure } from '../controls/schema.ts';
import type { BufferedResponse } from '../exchange/buffered-response.ts';
import { FORCED_OVERFLOW, type Overflow } from '../model/context-window.ts';
import { BAD_GATEWAY } from '../openai-chat/errors.ts';
import { dottedPath, type Problem } from '../validation/problem.ts';

/** Every failure has this id: equal requests get equal responses. */
const REQUEST_ID = 'req_sim00000000000000000000';

/** A rejection with Anthropic's error body. */
export function errorResponse(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): BufferedResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'request-id': REQUEST_ID, ...headers },
    body: JSON.stringify({ type: 'error', error: { type, message }, request_id: REQUEST_ID }),
  };
}

/** A 400. */
export function invalidRequest(message: string): BufferedResponse {
  return errorResponse(400, 'invalid_request_error', message);
}

/** A 400 for a problem in the body. */
export function problemResponse(problem: Problem): BufferedResponse {
  const path = dottedPath(problem.path);
  switch (problem.kind) {
    case 'unknown':
      return invalidRequest(`${path}: Extra inputs are not permitted`);
    case 'missing':
      return invalidRequest(`${path}: Field required`);
    case 'type':
    case 'value':
      return invalidRequest(`${path}: ${problem.message}`);
    default:
      return problem.kind satisfies never;
  }
}

/**
 * The 400 for a prompt that is too long, whether it is streamed or not.
 * https://platform.claude.com/docs/en/build-with-claude/context-windows,
 * https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts
 */
export function lengthRefusal({ prompt, window }: Overflow): BufferedResponse {
  return invalidRequest(`prompt is too long: ${prompt} tokens > ${window} maximum`);
}

/** Anthropic's response for a failure. 502 is the page of a proxy. */
export function renderFailure(failure: StatusFailure, retryAfterSeconds: number | undefined): BufferedResponse {
  if (failure === 502) return BAD_GATEWAY;
  if (failure === 'context_length_exceeded') return lengthRefusal(FORCED_OVERFLOW);
  const { status, type, message } = describe(failure);
  const waits = failure === 429 ? (retryAfterSeconds ?? 1) : retryAfterSeconds;
  return errorResponse(status, type, message, waits === undefined ? {} : { 'retry-after': String(waits) });
}

interface Failure {
  status: number;
  type: string;
  message: string;
}

function describe(failure: Exclude<StatusFailure, 502 | 'context_length_exceeded'>): Failure {
  switch (failure) {
    case 400:
      return failed(400, 'invalid_request_error', 'messages.0.content: Input should be a valid string (simulated)');
    case 401:
      return failed(401, 'authentication_error', 'invalid x-api-key (simulated)');
    case 402:
      return failed(402, 'billing_error', 'Your account has a billing problem. (simulated)');
    case 403:
      return failed(403, 'permission_error', 'Your API key does not have permission to use this resource. (simulated)');
    case 404:
      return failed(404, 'not_found_error', 'model: simulated-missing');
    case 408:
      return failed(408, 'timeout_error', 'Request timed out. (simulated)');
    case 413:
      return failed(413, 'request_too_large', 'Request exceeds the maximum size. (simulated)');
    case 422:
      return failed(422, 'invalid_request_error', 'The request could not be processed. (simulated)');
    case 429:
      return failed(429, 'rate_limit_error', 'This request would exceed your rate limit. (simulated)');
    case 'insufficient_quota':
      return failed(
        400,
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing. (simulated)',
      );
    case 500:
      return failed(500, 'api_error', 'Internal server error (simulated)');
    case 503:
      return failed(503, 'api_error', 'Service unavailable (simulated)');
    case 504:
      return failed(504, 'timeout_error', 'Request timed out. (simulated)');
    case 529:
      return failed(529, 'overloaded_error', 'Overloaded');
    default:
      return failure satisfies never;
  }
}

function failed(status: number, type: string, message: string): Failure {
  return { status, type, message };
}

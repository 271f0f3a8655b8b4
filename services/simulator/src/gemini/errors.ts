import type { StatusFailure } from '../controls/schema.ts';
import type { BufferedResponse } from '../exchange/buffered-response.ts';
import { FORCED_OVERFLOW, type Overflow } from '../model/context-window.ts';
import { BAD_GATEWAY } from '../openai-chat/errors.ts';
import { bracketPath, type Problem } from '../validation/problem.ts';

interface Failure {
  code: number;
  message: string;
  status: string;
}

/** A rejection with Google's error body. */
export function errorResponse(
  error: Failure,
  details: object[] = [],
  headers: Record<string, string> = {},
): BufferedResponse {
  return {
    status: error.code,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
    body: JSON.stringify({ error: details.length === 0 ? error : { ...error, details } }, null, 2),
  };
}

/** A 400. */
export function invalidArgument(message: string, details: object[] = []): BufferedResponse {
  return errorResponse({ code: 400, message, status: 'INVALID_ARGUMENT' }, details);
}

/** A 400 for a problem in the body. */
export function problemResponse(problem: Problem): BufferedResponse {
  const field = bracketPath(problem.path);
  const message = problemMessage(problem, field);
  const violation = { field, description: message };
  return invalidArgument(message, [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] },
  ]);
}

function problemMessage(problem: Problem, field: string): string {
  switch (problem.kind) {
    case 'unknown': {
      const at = bracketPath(problem.path.slice(0, -1));
      const place = at === '' ? '' : ` at '${at}'`;
      return `Invalid JSON payload received. Unknown name "${String(problem.path.at(-1))}"${place}: Cannot find field.`;
    }
    case 'missing':
      return `* GenerateContentRequest.${field}: field is required`;
    case 'type':
      return `Invalid value at '${field}': ${problem.message}`;
    case 'value':
      return `* GenerateContentRequest.${field}: ${problem.message}`;
    default:
      return problem.kind satisfies never;
  }
}

/** The error of a stream that fails midway. */
export const STREAM_ERROR: Failure = {
  code: 503,
  message: 'The model is overloaded. Please try again later. (simulated)',
  status: 'UNAVAILABLE',
};

/**
 * The 400 for a prompt that is too long, whether it is streamed or not.
 * https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts
 */
export function lengthRefusal({ prompt, window }: Overflow): BufferedResponse {
  return invalidArgument(`The input token count (${prompt}) exceeds the maximum number of tokens allowed (${window}).`);
}

/** Google's response for a failure. 502 is the page of a proxy. */
export function renderFailure(failure: StatusFailure, retryAfterSeconds: number | undefined): BufferedResponse {
  if (failure === 502) return BAD_GATEWAY;
  if (failure === 'context_length_exceeded') return lengthRefusal(FORCED_OVERFLOW);
  const error = describe(failure);
  const waits = error.code === 429 ? (retryAfterSeconds ?? 1) : retryAfterSeconds;
  if (waits === undefined) return errorResponse(error);
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${waits}s` }];
  return errorResponse(error, details, { 'retry-after': String(waits) });
}

function describe(failure: Exclude<StatusFailure, 502 | 'context_length_exceeded'>): Failure {
  switch (failure) {
    case 400:
      return failed(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument. (simulated)');
    case 401:
      return failed(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials. (simulated)');
    case 402:
      return failed(402, 'FAILED_PRECONDITION', 'Billing is not enabled for this project. (simulated)');
    case 403:
      return failed(403, 'PERMISSION_DENIED', 'The caller does not have permission. (simulated)');
    case 404:
      return failed(404, 'NOT_FOUND', 'The model is not found for API version v1beta. (simulated)');
    case 408:
      return failed(408, 'DEADLINE_EXCEEDED', 'Request timed out. (simulated)');
    case 413:
      return failed(413, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit. (simulated)');
    case 422:
      return failed(422, 'INVALID_ARGUMENT', 'The request could not be processed. (simulated)');
    case 429:
      return failed(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota). (simulated)');
    case 'insufficient_quota':
      return failed(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details. (simulated)',
      );
    case 500:
      return failed(500, 'INTERNAL', 'An internal error has occurred. (simulated)');
    case 503:
      return STREAM_ERROR;
    case 504:
      return failed(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete. (simulated)');
    case 529:
      return failed(529, 'UNAVAILABLE', 'The model is overloaded. (simulated)');
    default:
      return failure satisfies never;
  }
}

function failed(code: number, status: string, message: string): Failure {
  return { code, message, status };
}

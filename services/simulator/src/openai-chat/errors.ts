import type { StatusFailure } from '../controls/schema.ts';
import type { BufferedResponse } from '../exchange/buffered-response.ts';
import { FORCED_OVERFLOW, type Overflow } from '../model/context-window.ts';
import { bracketPath, type Problem } from '../validation/problem.ts';

/** The `error` object of an OpenAI error body. */
export interface OpenAiError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

interface Failure {
  status: number;
  error: OpenAiError;
}

/** A rejection with OpenAI's error body. */
export function errorResponse(
  status: number,
  error: OpenAiError,
  headers: Record<string, string> = {},
): BufferedResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ error }),
  };
}

/** A 400 that names the parameter at fault. */
export function invalidRequest(message: string, param: string | null, code: string | null = null): BufferedResponse {
  return errorResponse(400, { message, type: 'invalid_request_error', param, code });
}

/** A 400 for a problem in the body. */
export function problemResponse(problem: Problem): BufferedResponse {
  const param = bracketPath(problem.path);
  switch (problem.kind) {
    case 'unknown':
      return invalidRequest(`Unknown parameter: '${param}'.`, param, 'unknown_parameter');
    case 'missing':
      return invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
    case 'type':
      return invalidRequest(`Invalid type for '${param}': ${problem.message}.`, param, 'invalid_type');
    case 'value':
      return invalidRequest(`Invalid value for '${param}': ${problem.message}.`, param, 'invalid_value');
    default:
      return problem.kind satisfies never;
  }
}

/** The error of a stream that fails midway. */
export const SERVER_ERROR: OpenAiError = {
  message: 'The server had an error while processing your request. (simulated)',
  type: 'server_error',
  param: null,
  code: null,
};

/** The error page of a proxy in front of the provider. */
export const BAD_GATEWAY: BufferedResponse = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>simulated</center>\r\n</body>\r\n</html>\r\n',
};

/**
 * The 400 for a prompt of chat completions that is too long, whether it is streamed or not.
 * https://github.com/webtimemachine/wtm2/issues/579
 */
export function lengthRefusal({ prompt, window }: Overflow): BufferedResponse {
  const message =
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. ` +
    'Please reduce the length of the messages.';
  return invalidRequest(message, 'messages', 'context_length_exceeded');
}

/** OpenAI's response for a failure. 502 is the page of a proxy. */
export function renderFailure(failure: StatusFailure, retryAfterSeconds: number | undefined): BufferedResponse {
  if (failure === 502) return BAD_GATEWAY;
  if (failure === 'context_length_exceeded') return lengthRefusal(FORCED_OVERFLOW);
  const { status, error } = describe(failure);
  const waits = failure === 429 ? (retryAfterSeconds ?? 1) : retryAfterSeconds;
  return errorResponse(status, error, waits === undefined ? {} : { 'retry-after': String(waits) });
}

function describe(failure: Exclude<StatusFailure, 502 | 'context_length_exceeded'>): Failure {
  switch (failure) {
    case 400:
      return invalid(400, "Invalid value for 'temperature'. (simulated)", 'temperature', 'invalid_value');
    case 401:
      return invalid(401, 'Incorrect API key provided: sim-****. (simulated)', null, 'invalid_api_key');
    case 402:
      return failed(402, 'Payment is required. (simulated)', 'billing_error', 'billing_hard_limit_reached');
    case 403:
      return invalid(403, 'Project does not have access to this model. (simulated)', null, 'model_not_found');
    case 404:
      return invalid(
        404,
        'The model does not exist or you do not have access to it. (simulated)',
        null,
        'model_not_found',
      );
    case 408:
      return failed(408, 'Request timed out. (simulated)', 'timeout', null);
    case 413:
      return invalid(413, 'Request body is too large. (simulated)', null, 'request_too_large');
    case 422:
      return invalid(422, "Unprocessable value for 'messages[0].content'. (simulated)", 'messages[0].content', null);
    case 429:
      return failed(429, 'Rate limit reached for requests. (simulated)', 'requests', 'rate_limit_exceeded');
    case 'insufficient_quota':
      return failed(
        429,
        'You exceeded your current quota, please check your plan and billing details. (simulated)',
        'insufficient_quota',
        'insufficient_quota',
      );
    case 500:
      return failed(500, 'The server had an error while processing your request. (simulated)', 'server_error', null);
    case 503:
      return failed(503, 'The engine is currently overloaded. (simulated)', 'server_error', 'service_unavailable');
    case 504:
      return failed(504, 'The upstream request timed out. (simulated)', 'server_error', 'timeout');
    case 529:
      return failed(529, 'Overloaded. (simulated)', 'overloaded_error', null);
    default:
      return failure satisfies never;
  }
}

function invalid(status: number, message: string, param: string | null, code: string | null): Failure {
  return { status, error: { message, type: 'invalid_request_error', param, code } };
}

function failed(status: number, message: string, type: string, code: string | null): Failure {
  return { status, error: { message, type, param: null, code } };
}

import type { StatusFailure } from '../controls/schema.ts';
import type { BufferedResponse } from '../exchange/buffered-response.ts';

/** Google's names of statuses. https://cloud.google.com/apis/design/errors */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'CANCELLED',
  413: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

/** Google's error body. */
export function geminiError(status: number, message: string, retryAfterSeconds?: number): BufferedResponse {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
    body: JSON.stringify({ error: { code: status, message, status: STATUS_NAMES[status] ?? 'UNKNOWN' } }),
  };
}

/** Google's response for a failure. */
export function renderFailure(failure: StatusFailure, retryAfterSeconds: number | undefined): BufferedResponse {
  switch (failure) {
    case 'context_length_exceeded':
      return geminiError(400, 'The input token count exceeds the maximum number of tokens allowed. (simulated)');
    case 'insufficient_quota':
      return geminiError(429, 'You exceeded your current quota. (simulated)', retryAfterSeconds);
    default:
      return geminiError(failure, `The call failed with ${failure}. (simulated)`, retryAfterSeconds);
  }
}

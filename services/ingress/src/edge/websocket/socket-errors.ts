import { ApiError, apiErrors } from '../../shared/errors/api-error.ts';

const RETRY_AFTER_MS = 5_000;

/** Errors of WebSocket connections; the requests on them have their own. */
export const socketErrors = {
  tooMany: () =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      reason: 'gateway_overloaded',
      message: 'This server accepts no more WebSocket connections. Retry shortly, or use HTTP.',
      retryAfterMs: RETRY_AFTER_MS,
    }),

  tooManyOfKey: (max: number) => tooManyOf(`The API key has ${max} open WebSocket connections`),

  tooManyOfAccount: (max: number) => tooManyOf(`The account has ${max} open WebSocket connections`),

  tooManyWithoutCredit: (max: number, rechargeUrl: string) =>
    tooManyOf(`The account has ${max} open WebSocket connections and no credit (top up at ${rechargeUrl})`),

  tooManyMessages: () =>
    apiErrors.limitReached(
      'Too many messages came at once on this WebSocket connection. Wait for each response.',
      RETRY_AFTER_MS,
      'rate_limited',
    ),

  /** OpenAI's words. */
  lifetime: (lifeMs: number) =>
    apiErrors.invalidRequest(
      `Responses websocket connection limit reached (${Math.round(lifeMs / 60_000)} minutes). Create a new websocket connection to continue.`,
    ),
};

function tooManyOf(owner: string): ApiError {
  return apiErrors.limitReached(
    `${owner}, the maximum of one server. Close some, or use HTTP.`,
    RETRY_AFTER_MS,
    'too_many_open_requests',
  );
}

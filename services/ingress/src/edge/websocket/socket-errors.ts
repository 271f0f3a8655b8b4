import { ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { KEY_MESSAGES, type KeyRefusalReason } from '../../shared/errors/error-texts.ts';

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

/** Why this side closes a WebSocket. */
export interface CloseReason {
  /** For logs. */
  readonly name: string;
  /** RFC 6455, section 7.4.1, and the registry of IANA. */
  readonly code: number;
  /** At most 123 bytes. */
  readonly text: string;
}

export const CLOSE = {
  idle: { name: 'idle', code: 1000, text: 'The connection was idle. Connect again.' },
  lifetime: { name: 'lifetime', code: 1000, text: 'The connection has reached its maximum duration. Connect again.' },
  stopping: { name: 'stopping', code: 1001, text: 'This server is stopping. Connect again.' },
  binary: { name: 'binary', code: 1003, text: 'Only text messages are supported.' },
  tooMany: { name: 'too_many_messages', code: 1008, text: 'Too many messages came at once. Wait for each response.' },
  noMemory: { name: 'no_memory', code: 1013, text: 'There is no memory for the message at the moment. Retry shortly.' },
} as const satisfies Record<string, CloseReason>;

/** The reason of a socket whose key is no longer active. */
export function closeForKey(reason: KeyRefusalReason): CloseReason {
  return { name: `key_${reason}`, code: 1008, text: KEY_MESSAGES[reason] };
}

import { type CapPeriodLabel, periodEnd } from '@tollgate/common/cap-periods';
import { formatDollars } from '@tollgate/common/money';
import type { KeyRefusalReason } from '../authenticate/result.ts';
import type { ReachedCap } from '../credit/index.ts';
import { reasonNotOffered } from '../http/not-offered.ts';

/** The closed list of error types that model endpoints answer with (contract section 7, design section 4). */
export type ErrorType =
  | 'missing_auth_credential'
  | 'invalid_api_key'
  | 'invalid_bearer_token'
  | 'model_not_available'
  | 'model_not_supported'
  | 'invalid_request_error'
  | 'insufficient_balance'
  | 'not_found'
  | 'rate_limit_exceeded'
  | 'internal_error';

/** `error.details` of the contract: only a refusal for want of balance has any. */
export type ErrorDetails = { recharge_url: string } | null;

export interface ApiErrorFields {
  status: number;
  type: ErrorType;
  message: string;
  details?: ErrorDetails;
  /** Sent as `Retry-After`, in whole seconds rounded up, and exactly as `retry-after-ms`. */
  retryAfterMs?: number;
  /** Methods the path answers, sent as `Allow`. */
  allow?: string;
}

/** An answer other than success. The message is read by the caller and holds nothing secret. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly type: ErrorType;
  readonly details: ErrorDetails;
  readonly retryAfterMs: number | undefined;
  readonly allow: string | undefined;

  constructor(fields: ApiErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.status = fields.status;
    this.type = fields.type;
    this.details = fields.details ?? null;
    this.retryAfterMs = fields.retryAfterMs;
    this.allow = fields.allow;
  }
}

const KEY_MESSAGES: Record<KeyRefusalReason, string> = {
  malformed: 'The API key is not valid: it is mistyped, incomplete or not a key of this service.',
  unknown: 'The API key is not valid.',
  deleted: 'The API key has been deleted. Create a new one.',
  expired: 'The API key has expired. Create a new one.',
  account_suspended: "The API key's account is suspended.",
};

const CAP_NAMES: Record<CapPeriodLabel, string> = { day: 'daily', month: 'monthly', total: 'total' };

export interface BalanceShortage extends Shortage {
  balanceNanos: bigint;
}

export interface CapShortage extends Shortage {
  cap: ReachedCap;
}

/** A request that can cost more than the ledger records of one. */
export interface TooExpensive extends Pick<Shortage, 'neededNanos' | 'affordableOutputTokens'> {
  largestNanos: bigint;
}

interface Shortage {
  neededNanos: bigint;
  /** Output tokens that what is there would pay for; 0 when not even the input is covered, undefined when there are none. */
  affordableOutputTokens: number | undefined;
  rechargeUrl: string;
  /** 402 or 400, as the contract's table has it for the endpoint. */
  status: 400 | 402;
}

/** One constructor per error, so that each is worded and numbered in one place. */
export const apiErrors = {
  missingCredential: (accepted: string) =>
    new ApiError({
      status: 401,
      type: 'missing_auth_credential',
      message: `No API key was sent. Send one of these headers: ${accepted}.`,
    }),

  refusedKey: (credential: 'bearer' | 'header', reason: KeyRefusalReason) =>
    new ApiError({
      status: 401,
      type: credential === 'bearer' ? 'invalid_bearer_token' : 'invalid_api_key',
      message: KEY_MESSAGES[reason],
    }),

  modelNotAvailable: (model: string) =>
    new ApiError({
      status: 400,
      type: 'model_not_available',
      message: `The model ${quoted(model)} does not exist or is temporarily unavailable. GET /v1/models lists the models that can be called.`,
    }),

  modelNotSupported: (model: string, others: readonly string[]) =>
    new ApiError({
      status: 400,
      type: 'model_not_supported',
      message: `The model ${quoted(model)} cannot be called at the moment with this key. ${suggestion(others)}`,
    }),

  protocolMismatch: (model: string, called: string, offered: readonly string[]) =>
    apiErrors.invalidRequest(
      `The model ${quoted(model)} cannot be called through ${called}; it offers ${offered.length === 0 ? 'no protocol' : offered.join(', ')}.`,
    ),

  invalidRequest: (message: string) => new ApiError({ status: 400, type: 'invalid_request_error', message }),

  unknownPath: (method: string, path: string) =>
    new ApiError({
      status: 404,
      type: 'invalid_request_error',
      message: [`There is no endpoint ${method} ${clipped(path)}.`, reasonNotOffered(path) ?? ''].join(' ').trimEnd(),
    }),

  methodNotAllowed: (method: string, path: string, allow: string) =>
    new ApiError({
      status: 405,
      type: 'invalid_request_error',
      message: `${clipped(path)} does not answer ${clipped(method)}; it answers ${allow}.`,
      allow,
    }),

  unknownExpectation: () =>
    new ApiError({
      status: 417,
      type: 'invalid_request_error',
      message: 'The Expect header asks for something other than 100-continue.',
    }),

  upgradeRefused: () =>
    new ApiError({
      status: 426,
      type: 'invalid_request_error',
      message: 'WebSocket connections are not offered here. Use HTTP.',
    }),

  recordNotFound: (what: string) =>
    new ApiError({ status: 404, type: 'not_found', message: `There is no ${what} that this key's account can see.` }),

  insufficientBalance: (shortage: BalanceShortage) =>
    new ApiError({
      status: shortage.status,
      type: 'insufficient_balance',
      message:
        `The request may cost up to $${formatDollars(shortage.neededNanos)}, and the account's balance is ` +
        `$${formatDollars(shortage.balanceNanos)}${remedy('Top up', shortage.affordableOutputTokens)}`,
      details: { recharge_url: shortage.rechargeUrl },
    }),

  capReached: ({ cap, ...shortage }: CapShortage) =>
    new ApiError({
      status: shortage.status,
      type: 'insufficient_balance',
      message:
        `The request may cost up to $${formatDollars(shortage.neededNanos)}, and of the API key's ${CAP_NAMES[cap.period]} ` +
        `spending cap of $${formatDollars(cap.limitNanos)} there is $${formatDollars(cap.leftNanos)} left` +
        `${remedy('Raise the cap', shortage.affordableOutputTokens)}${renewal(cap)}`,
      details: { recharge_url: shortage.rechargeUrl },
    }),

  beyondLargestCharge: ({ neededNanos, largestNanos, affordableOutputTokens }: TooExpensive) =>
    apiErrors.invalidRequest(
      `The request may cost up to $${formatDollars(neededNanos)}, and one request may cost at most ` +
        `$${formatDollars(largestNanos)}${lessOf(affordableOutputTokens)}`,
    ),

  capHeld: (period: CapPeriodLabel, retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      message: `What is left of the API key's ${CAP_NAMES[period]} spending cap is held by its own open requests. Retry when some of them have finished.`,
      retryAfterMs,
    }),

  creditHeld: (retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      message: "The account's credit is held by its own open requests. Retry when some of them have finished.",
      retryAfterMs,
    }),

  rateLimited: (retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      message: 'Too many requests. Retry later.',
      retryAfterMs,
    }),

  tooManyUnknownKeys: (retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      message: 'Too many requests with invalid API keys came from your address. Check the key and retry later.',
      retryAfterMs,
    }),

  /** @param message says which limit */
  limitReached: (message: string, retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      message: `${message} Retry in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s.`,
      retryAfterMs,
    }),

  overloaded: (retryAfterMs: number) =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      message: 'This server has as many requests open as it takes. Retry shortly.',
      retryAfterMs,
    }),

  noMemory: (retryAfterMs: number) =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      message: 'This server holds as many bytes of requests and answers as it takes. Retry shortly.',
      retryAfterMs,
    }),

  upstreamRateLimited: (retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      message: 'The provider of this model takes no more requests at the moment. Retry later.',
      retryAfterMs,
    }),

  upstreamFailed: () =>
    new ApiError({
      status: 502,
      type: 'internal_error',
      message: 'The provider of this model failed to answer. Nothing was charged.',
    }),

  upstreamTimedOut: () =>
    new ApiError({
      status: 504,
      type: 'internal_error',
      message: 'The provider of this model did not answer in time. Nothing was charged.',
    }),

  unavailable: (what: string) =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      message: `${what} cannot be reached at the moment. Retry shortly.`,
      retryAfterMs: 1_000,
    }),

  clockWrong: () =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      message: 'The clock of this gateway is wrong, so that it can take no requests at the moment. Retry shortly.',
      retryAfterMs: 1_000,
    }),

  internal: (cause: unknown) =>
    new ApiError({ status: 500, type: 'internal_error', message: 'Something went wrong on our side.' }, { cause }),
};

function remedy(first: string, outputTokens: number | undefined): string {
  if (outputTokens === undefined) return `. ${first}, or send less at once.`;
  return `, which pays for ${tokensText(outputTokens)}. ${first}, or lower the output limit.`;
}

/** As `remedy`, where only less use helps. */
function lessOf(outputTokens: number | undefined): string {
  if (outputTokens === undefined) return '. Send less at once.';
  const remains = outputTokens === 0 ? 'Send less at once.' : 'Lower the output limit.';
  return `, which pays for ${tokensText(outputTokens)}. ${remains}`;
}

function tokensText(outputTokens: number): string {
  return outputTokens === 0 ? 'no output tokens' : `${outputTokens} output token${outputTokens === 1 ? '' : 's'}`;
}

/** When a cap that was reached counts from zero again. */
function renewal({ period, startMs }: ReachedCap): string {
  const end = periodEnd(period, startMs);
  return end === undefined ? '' : ` It begins anew at ${new Date(end).toISOString().replace('.000Z', 'Z')}.`;
}

function suggestion(others: readonly string[]): string {
  return others.length === 0
    ? 'No other model can be called with it.'
    : `Try ${others.slice(0, 5).map(quoted).join(' or ')}.`;
}

function quoted(text: string): string {
  return `'${clipped(text)}'`;
}

/** What callers sent is repeated to them only in part, so that an answer cannot be made large. */
function clipped(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

import { formatDollars } from '@tollgate/common/money';
import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import type { ContextOverflow } from '@tollgate/protocols/interface/context-overflow';
import type { JsonRecord } from '@tollgate/protocols/json/record';
import { type BalanceStatus, type CapStatus, type CeilingOwner, renderCeiling } from '../limits/ceilings.ts';
import { unsupportedReason } from '../request/surface.ts';
import {
  CAP_NAMES,
  holderOf,
  KEY_MESSAGES,
  KEY_REASONS,
  type KeyRefusalReason,
  leftOfBalance,
  leftOfCap,
  lessOf,
  relief,
  remedy,
  renewal,
} from './error-texts.ts';

/** The closed list of error types of model endpoints. */
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

/** `error.details`: the contract's where money is missing or owed, and what SDKs act on by themselves. */
export type ErrorDetails = JsonRecord | null;

export interface ApiErrorFields {
  status: number;
  type: ErrorType;
  message: string;
  /**
   * Why a request of a known account was refused; undefined for errors that are not recorded as refusals: the account is
   * unknown, the request has a record of its own, or it is a billing request.
   */
  reason: RefusalReason | undefined;
  details?: ErrorDetails;
  /** The cap that refused the request. */
  cap?: CapStatus;
  /** The prompt is too long for the model. */
  overflow?: ContextOverflow;
  /** Sent as `Retry-After`, in whole seconds rounded up, and exactly as `retry-after-ms`. */
  retryAfterMs?: number;
  /** Methods of the path, sent as `Allow`. */
  allow?: string;
}

/** An error response. Clients see the message; it contains nothing secret. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly type: ErrorType;
  readonly reason: RefusalReason | undefined;
  readonly details: ErrorDetails;
  readonly cap: CapStatus | undefined;
  readonly overflow: ContextOverflow | undefined;
  readonly retryAfterMs: number | undefined;
  readonly allow: string | undefined;

  constructor(fields: ApiErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.status = fields.status;
    this.type = fields.type;
    this.reason = fields.reason;
    this.details = fields.details ?? null;
    this.cap = fields.cap;
    this.overflow = fields.overflow;
    this.retryAfterMs = fields.retryAfterMs;
    this.allow = fields.allow;
  }
}

export interface BalanceShortage extends Shortage {
  balance: BalanceStatus;
}

export interface CapShortage extends Shortage {
  cap: CapStatus;
}

/** A request that can cost more than the largest charge that the ledger accepts. */
export interface TooExpensive extends Pick<Shortage, 'neededNanos' | 'affordableOutputTokens'> {
  largestNanos: bigint;
}

interface Shortage {
  neededNanos: bigint;
  /** Output tokens that the remaining amount pays for; 0 if it does not cover the input, undefined for calls without output. */
  affordableOutputTokens: number | undefined;
  rechargeUrl: string;
  owner: CeilingOwner;
  /** 402 or 400, by the contract's table for the endpoint. */
  status: 400 | 402;
}

/** One constructor per error, so that each message and status is defined in one place. */
export const apiErrors = {
  missingCredential: (message: string) =>
    new ApiError({ status: 401, type: 'missing_auth_credential', reason: undefined, message }),

  refusedKey: (credential: 'bearer' | 'header', reason: KeyRefusalReason) =>
    new ApiError({
      status: 401,
      type: credentialType(credential),
      reason: KEY_REASONS[reason],
      message: KEY_MESSAGES[reason],
    }),

  /** Refused like the keys of a suspended account, but people can end it themselves. */
  accountInDebt: (credential: 'bearer' | 'header', rechargeUrl: string) =>
    new ApiError({
      status: 401,
      type: credentialType(credential),
      reason: 'account_in_debt',
      message: `The API key's account owes money. Its requests are accepted again when the debt is paid at ${rechargeUrl}.`,
      details: { recharge_url: rechargeUrl },
    }),

  modelNotAvailable: (model: string) =>
    new ApiError({
      status: 400,
      type: 'model_not_available',
      reason: 'model_not_available',
      message: `The model ${quoted(model)} does not exist or is temporarily unavailable. GET /v1/models lists the models that can be called.`,
    }),

  /** The provider does not have the model under the name in the catalogue. */
  upstreamWithoutModel: () =>
    new ApiError({
      status: 400,
      type: 'model_not_available',
      reason: 'model_not_available',
      message:
        'The provider of this model does not offer it at the moment. Nothing was charged. GET /v1/models lists the models that can be called.',
    }),

  modelNotSupported: (model: string, others: readonly string[]) =>
    new ApiError({
      status: 400,
      type: 'model_not_supported',
      reason: 'model_not_supported',
      message: `The model ${quoted(model)} cannot be called with this key at the moment. ${suggestion(others)}`,
    }),

  protocolMismatch: (model: string, called: string, supported: readonly string[]) =>
    apiErrors.invalidRequest(
      `The model ${quoted(model)} cannot be called through ${called}; it supports ${supported.length === 0 ? 'no protocol' : supported.join(', ')}.`,
      'protocol_not_supported',
    ),

  invalidRequest: (message: string, reason: RefusalReason = 'invalid_request', details: ErrorDetails = null) =>
    new ApiError({ status: 400, type: 'invalid_request_error', reason, message, details }),

  /** @param problem of the protocols library: begins with the field's path and may lack the full stop */
  invalidField: (problem: string, details: ErrorDetails = null) =>
    apiErrors.invalidRequest(/[.!?]$/.test(problem) ? problem : `${problem}.`, 'invalid_request', details),

  unknownPath: (method: string, path: string) =>
    new ApiError({
      status: 404,
      type: 'invalid_request_error',
      reason: 'unknown_endpoint',
      message: [`There is no endpoint ${method} ${clipped(path)}.`, unsupportedReason(path) ?? ''].join(' ').trimEnd(),
    }),

  methodNotAllowed: (method: string, path: string, allow: string) =>
    new ApiError({
      status: 405,
      type: 'invalid_request_error',
      reason: 'unknown_endpoint',
      message: `${clipped(path)} does not support ${clipped(method)}. Use ${allow}.`,
      allow,
    }),

  upgradeRefused: (path: string) =>
    new ApiError({
      status: 426,
      type: 'invalid_request_error',
      reason: 'invalid_request',
      message: unsupportedReason(path) ?? 'WebSocket connections are not supported. Use HTTP.',
    }),

  previousResponseNotFound: (id: string) =>
    apiErrors.invalidRequest(
      `Previous response with id ${quoted(id)} not found. Only the last response of this WebSocket connection can be continued. Send the full conversation in input, without previous_response_id.`,
    ),

  conversationTooLarge: (limitBytes: number) =>
    apiErrors.invalidRequest(`The conversation is larger than ${limitBytes} bytes with what the message continues.`),

  recordNotFound: (what: string) =>
    new ApiError({
      status: 404,
      type: 'not_found',
      reason: undefined,
      message: `The key's account has no such ${what}.`,
    }),

  /** Whoever has a derived key may be a user of the account's own users. */
  notForDerivedKeys: () =>
    new ApiError({
      status: 404,
      type: 'not_found',
      reason: undefined,
      message: 'A derived key sees what it used, and not what the account has. Ask with the key above it.',
    }),

  insufficientBalance: (shortage: BalanceShortage) =>
    new ApiError({
      status: shortage.status,
      type: 'insufficient_balance',
      reason: 'insufficient_balance',
      message:
        `The request may cost up to $${formatDollars(shortage.neededNanos)}, ` +
        `${leftOfBalance(shortage.balance, shortage.owner)}${remedy(`Top up at ${shortage.rechargeUrl}`, shortage.affordableOutputTokens)}`,
      details: { recharge_url: shortage.rechargeUrl, limit: renderCeiling(shortage.balance, shortage.owner) },
    }),

  capReached: ({ cap, ...shortage }: CapShortage) =>
    new ApiError({
      status: shortage.status,
      type: 'insufficient_balance',
      reason: 'cap_exceeded',
      message:
        `The request may cost up to $${formatDollars(shortage.neededNanos)}, ${leftOfCap(cap, shortage.owner)}` +
        `${remedy(relief(cap), shortage.affordableOutputTokens)}${renewal(cap)}`,
      details: { recharge_url: shortage.rechargeUrl, limit: renderCeiling(cap, shortage.owner) },
      cap,
    }),

  beyondLargestCharge: ({ neededNanos, largestNanos, affordableOutputTokens }: TooExpensive) =>
    apiErrors.invalidRequest(
      `The request may cost up to $${formatDollars(neededNanos)}, and one request may cost at most ` +
        `$${formatDollars(largestNanos)}${lessOf(affordableOutputTokens)}`,
      'request_too_expensive',
    ),

  capHeld: (cap: CapStatus, owner: CeilingOwner, retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      reason: 'cap_held_by_open_requests',
      message:
        `Open requests of ${holderOf(cap, owner)} hold the rest of its ${CAP_NAMES[cap.window]} spending cap. ` +
        'Retry when some of them have finished.',
      details: { limit: renderCeiling(cap, owner) },
      cap,
      retryAfterMs,
    }),

  /** @param balance undefined: so many requests wait for it that another may not */
  creditHeld: (balance: BalanceStatus | undefined, owner: CeilingOwner, retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      reason: 'held_by_open_requests',
      message: 'Open requests of the account hold its credit. Retry when some of them have finished.',
      details: balance === undefined ? null : { limit: renderCeiling(balance, owner) },
      retryAfterMs,
    }),

  rateLimited: (retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      reason: undefined,
      message: 'Too many requests. Retry later.',
      retryAfterMs,
    }),

  tooManyUnknownKeys: (retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      reason: undefined,
      message: 'Too many requests with invalid API keys came from your address. Check the key and retry later.',
      retryAfterMs,
    }),

  /** @param message says which limit */
  limitReached: (message: string, retryAfterMs: number, reason: RefusalReason) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      reason,
      message: `${message} Retry in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s.`,
      retryAfterMs,
    }),

  overloaded: (retryAfterMs: number) =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      reason: 'gateway_overloaded',
      message: 'This server has reached its maximum number of open requests. Retry shortly.',
      retryAfterMs,
    }),

  noMemory: (retryAfterMs: number) =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      reason: 'gateway_overloaded',
      message: 'This server has reached its memory limit for requests and responses. Retry shortly.',
      retryAfterMs,
    }),

  upstreamRateLimited: (retryAfterMs: number) =>
    new ApiError({
      status: 429,
      type: 'rate_limit_exceeded',
      reason: undefined,
      message: 'The provider of this model accepts no more requests at the moment. Retry later.',
      retryAfterMs,
    }),

  /** @param message the provider's, which may quote the prompt */
  upstreamRejected: (message: string) =>
    new ApiError({ status: 400, type: 'invalid_request_error', reason: undefined, message }),

  /** Each protocol has its own words for this error, see `ClientError.overflow`. */
  contextExceeded: (overflow: ContextOverflow) =>
    new ApiError({
      status: 400,
      type: 'invalid_request_error',
      reason: undefined,
      message: "The request exceeds the model's context window.",
      overflow,
    }),

  upstreamFailed: () =>
    new ApiError({
      status: 502,
      type: 'internal_error',
      reason: undefined,
      message: 'The provider of this model failed to respond. Nothing was charged.',
    }),

  upstreamTimedOut: () =>
    new ApiError({
      status: 504,
      type: 'internal_error',
      reason: undefined,
      message: 'The provider of this model did not respond in time. Nothing was charged.',
    }),

  unavailable: (what: string, reason: RefusalReason = 'gateway_unavailable') =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      reason,
      message: `${what} cannot be reached at the moment. Retry shortly.`,
      retryAfterMs: 1_000,
    }),

  clockWrong: () =>
    new ApiError({
      status: 503,
      type: 'internal_error',
      reason: 'gateway_unavailable',
      message: 'The clock of this gateway is wrong, so it accepts no requests at the moment. Retry shortly.',
      retryAfterMs: 1_000,
    }),

  internal: (cause: unknown) =>
    new ApiError(
      {
        status: 500,
        type: 'internal_error',
        reason: 'internal_error',
        message: 'Something went wrong on our side.',
      },
      { cause },
    ),
};

function credentialType(credential: 'bearer' | 'header'): ErrorType {
  return credential === 'bearer' ? 'invalid_bearer_token' : 'invalid_api_key';
}

function suggestion(others: readonly string[]): string {
  return others.length === 0
    ? 'No other model can be called with it.'
    : `Try ${others.slice(0, 5).map(quoted).join(' or ')}.`;
}

function quoted(text: string): string {
  return `'${clipped(text)}'`;
}

/** Truncates what a client sent, so that it cannot make a response large. */
function clipped(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

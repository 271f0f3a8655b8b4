import type { FailureCause } from '@tollgate/common/failure-causes';
import { OutcomeKind } from '@tollgate/proto/router';
import { type ContextOverflow, readContextOverflow } from '@tollgate/protocols/interface/context-overflow';
import { readErrorCause } from '@tollgate/protocols/interface/error-cause';
import { errorNames, type UpstreamError } from '@tollgate/protocols/interface/errors';
import { type ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { type CapacityReason, memoryError } from '../../shared/errors/capacity.ts';
import type { Redact } from '../credentials/redaction.ts';

/** Why an upstream call returned no usable response. */
export type UpstreamFailure =
  /** No connection: refused, unresolvable, or without a valid certificate. */
  | { kind: 'unreachable'; detail: string }
  /** A connection that was reset or cut off before the response was complete. */
  | { kind: 'reset'; detail: string }
  /** No connection, no head or no data in time. */
  | { kind: 'timeout'; detail: string }
  /** 5xx and other errors on the provider's side. */
  | { kind: 'server_error'; status: number; detail: string }
  /** The provider's own rate limit. */
  | { kind: 'rate_limited'; status: number; retryAfterMs: number; detail: string }
  /** Our account or credential at the provider was refused: 401, 402, 403, an empty quota, a missing credential. */
  | { kind: 'credential_refused'; status: number; detail: string }
  /** The provider does not have the model that the catalogue names. */
  | { kind: 'model_unknown'; status: number; detail: string }
  /** This process could not obtain the short-lived credential that a call needs. */
  | { kind: 'no_credential'; detail: string }
  /** A success whose body is not what the protocol says. */
  | { kind: 'malformed'; detail: string }
  /** The request itself was rejected: the client can fix it. */
  | { kind: 'request_refused'; status: number; message: string }
  /** The same, because its prompt is too long for the model. */
  | { kind: 'context_exceeded'; status: number; overflow: ContextOverflow; detail: string }
  /** Aborted here, because the response is larger than any that is buffered. */
  | { kind: 'response_too_large'; message: string }
  /** Aborted here, without memory to buffer the response. */
  | { kind: 'no_room'; reason: CapacityReason; detail: string }
  /** Aborted here, because this process stops. */
  | { kind: 'stopping'; detail: string };

/** The failure of calls that are still open when this process stops. */
export const STOPPING: UpstreamFailure = { kind: 'stopping', detail: 'the gateway stops' };

/** The failure without the operator's secrets, for clients and for the log. */
export function redacted(failure: UpstreamFailure, redact: Redact): UpstreamFailure {
  return 'message' in failure
    ? { ...failure, message: redact(failure.message) }
    : { ...failure, detail: redact(failure.detail) };
}

/** The failure of a response that this process has no memory for. */
export function responseTooLarge(reason: CapacityReason): UpstreamFailure {
  return { kind: 'no_room', reason, detail: 'there is no memory to buffer more of the response' };
}

/**
 * The failure of a response whose reader throws. The error's message may quote the response, so it is left out.
 */
export function malformedResponse(error: unknown): Extract<UpstreamFailure, { kind: 'malformed' }> {
  return {
    kind: 'malformed',
    detail: `the response cannot be read: ${error instanceof Error ? error.name : typeof error}`,
  };
}

/** The failure of a response that is, or ends with, an error despite its success status. */
export function failureInResponse(error: UpstreamError): UpstreamFailure {
  const failure = contextFailure(200, error);
  if (failure !== undefined) return failure;
  const detail = errorNames(error);
  const cause = readErrorCause(error);
  // OpenRouter has the status in the code, Anthropic the cause in the type.
  if (error.code === '429' || cause === 'rate_limit') {
    return { kind: 'rate_limited', status: 200, retryAfterMs: boundedDelay(error.retryAfterMs), detail };
  }
  if (cause === 'account' || ['401', '402'].includes(error.code)) {
    return { kind: 'credential_refused', status: 200, detail };
  }
  return { kind: cause === 'model' ? 'model_unknown' : 'server_error', status: 200, detail };
}

/** The failure of a prompt that is too long; undefined for any other error. */
export function contextFailure(status: number, error: UpstreamError): UpstreamFailure | undefined {
  const overflow = readContextOverflow(error);
  return overflow && { kind: 'context_exceeded', status, overflow, detail: errorNames(error) };
}

/** How the router counts an attempt with this failure. */
export function outcomeOf(failure: UpstreamFailure): OutcomeKind {
  switch (failure.kind) {
    case 'unreachable':
    case 'reset':
    case 'server_error':
    case 'malformed':
    case 'model_unknown':
      return OutcomeKind.FAILURE;
    case 'timeout':
      return OutcomeKind.TIMEOUT;
    case 'rate_limited':
      return OutcomeKind.RATE_LIMITED;
    case 'credential_refused':
      return OutcomeKind.CREDENTIAL_REFUSED;
    // The provider was not called, and other ingresses may have the credential.
    case 'no_credential':
    case 'request_refused':
    case 'context_exceeded':
    case 'response_too_large':
    case 'no_room':
    case 'stopping':
      return OutcomeKind.NEUTRAL;
    default:
      return failure satisfies never;
  }
}

/** What the record of a request says about the failure: nothing of the provider's words. */
export function causeOf(failure: UpstreamFailure): FailureCause {
  switch (failure.kind) {
    case 'timeout':
    case 'unreachable':
    case 'reset':
    case 'server_error':
    case 'rate_limited':
    case 'model_unknown':
    case 'malformed':
    case 'context_exceeded':
    case 'response_too_large':
    case 'stopping':
      return failure.kind;
    case 'credential_refused':
    case 'no_credential':
      return 'credential';
    case 'request_refused':
      return 'refused';
    case 'no_room':
      return 'overloaded';
    default:
      return failure satisfies never;
  }
}

/** The error for the client if the last attempt failed like this. The provider's own message stays in the log. */
export function toApiError(failure: UpstreamFailure): ApiError {
  switch (failure.kind) {
    case 'timeout':
      return apiErrors.upstreamTimedOut();
    case 'rate_limited':
      return apiErrors.upstreamRateLimited(failure.retryAfterMs);
    case 'request_refused':
    case 'response_too_large':
      return apiErrors.upstreamRejected(failure.message);
    case 'context_exceeded':
      return apiErrors.contextExceeded(failure.overflow);
    case 'model_unknown':
      return apiErrors.upstreamWithoutModel();
    case 'unreachable':
    case 'reset':
    case 'server_error':
    case 'malformed':
    case 'credential_refused':
    case 'no_credential':
      return apiErrors.upstreamFailed();
    case 'no_room':
      return memoryError(failure.reason);
    case 'stopping':
      return apiErrors.unavailable('The gateway');
    default:
      return failure satisfies never;
  }
}

/** Whether another deployment or credential may succeed. */
export function mayFallBack(failure: UpstreamFailure): boolean {
  switch (failure.kind) {
    case 'request_refused':
    case 'context_exceeded':
    case 'response_too_large':
    case 'no_room':
    case 'stopping':
      return false;
    case 'unreachable':
    case 'reset':
    case 'timeout':
    case 'server_error':
    case 'rate_limited':
    case 'credential_refused':
    case 'model_unknown':
    case 'no_credential':
    case 'malformed':
      return true;
    default:
      return failure satisfies never;
  }
}

/** Whether no response began because of the connection, so that another one may do. */
export function isConnectionFailure({ kind }: UpstreamFailure): boolean {
  return kind === 'unreachable' || kind === 'reset';
}

/** The HTTP status of the response, 0 without one. */
export function statusOf(failure: UpstreamFailure): number {
  return 'status' in failure ? failure.status : 0;
}

const RETRY_AFTER_DEFAULT_MS = 1_000;
const RETRY_AFTER_MAX_MS = 60_000;

/**
 * How long to wait after an error, up to a maximum: `retry-after-ms` or `retry-after` (seconds or a date), else what its body
 * says.
 */
export function retryAfterOf(
  headers: Record<string, string | string[] | undefined>,
  { retryAfterMs }: UpstreamError,
  nowMs: number,
): number {
  const exact = Number(headers['retry-after-ms']);
  if (Number.isFinite(exact) && exact > 0) return boundedDelay(exact);
  const text = headers['retry-after'];
  if (typeof text !== 'string') return boundedDelay(retryAfterMs);
  const seconds = Number(text);
  return boundedDelay(Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - nowMs);
}

function boundedDelay(ms: number | undefined): number {
  return ms !== undefined && Number.isFinite(ms) && ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : RETRY_AFTER_DEFAULT_MS;
}

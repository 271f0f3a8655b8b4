import { type ServiceError, status } from '@grpc/grpc-js';
import { ApiError, type ApiErrorOptions, apiErrors, type ErrorCode } from './api-error.ts';

/** Fields of services whose names differ from the API's by more than a unit that is left out: `_ms` or `_nanos`. */
const FIELDS: Readonly<Record<string, string>> = { discount_ppm: 'discount_percent', page_token: 'cursor' };

const FIELD_AND_PROBLEM = /^([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_./:-]+|\[\d+\])*): (.+)$/s;

/** The API's error for a failed call of another service. */
export function fromRpcError(error: ServiceError): ApiError {
  const { code, details } = error;
  switch (code) {
    case status.INVALID_ARGUMENT:
      return refusal('invalid_request', details);
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return refusal('not_allowed', details, { cause: error });
    case status.NOT_FOUND:
      return refusal('not_found', details);
    case status.ALREADY_EXISTS:
    case status.FAILED_PRECONDITION:
    case status.ABORTED:
      return refusal('conflict', details);
    case status.RESOURCE_EXHAUSTED:
      return new ApiError('too_many_requests', asSentence(details), { retryAfterS: 2 });
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
      return apiErrors.unavailable(error);
    default:
      return apiErrors.internal(error);
  }
}

/** A service's refusal; one that names a field names it as the API does. */
function refusal(code: ErrorCode, details: string, options: ApiErrorOptions = {}): ApiError {
  const [, serviceField, problem] = FIELD_AND_PROBLEM.exec(details) ?? [];
  if (serviceField === undefined) return new ApiError(code, asSentence(details), options);
  const field = fieldOfApi(serviceField);
  return new ApiError(code, `${field}: ${problem}`, { ...options, field });
}

/** The API's name of a service's field: `caps.day_nanos` is `caps.day`. */
function fieldOfApi(field: string): string {
  return field
    .split('.')
    .map((part) => FIELDS[part] ?? part.replace(/_(ms|nanos)(?=$|\[)/, ''))
    .join('.');
}

/** A service's message, such as `no such key`, as a sentence. */
function asSentence(details: string): string {
  const first = details.charAt(0).toUpperCase();
  return `${first}${details.slice(1)}${/[.!?]$/.test(details) ? '' : '.'}`;
}

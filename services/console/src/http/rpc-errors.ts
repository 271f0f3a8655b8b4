import { type ServiceError, status } from '@grpc/grpc-js';
import { ApiError, type ApiErrorOptions, apiErrors, type ErrorCode } from './api-error.ts';

/** Fields whose names differ between the services and the API; other `_ms` and `_nanos` fields only lose their unit. */
const FIELDS: Readonly<Record<string, string>> = {
  discount_ppm: 'discount_percent',
  overlap_ms: 'overlap_seconds',
  page_size: 'limit',
  page_token: 'cursor',
  key_sha256: 'sha256',
  secret_sha256: 'secret',
};

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
export function fieldOfApi(field: string): string {
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

import { type ApiError, apiErrors } from './api-error.ts';

/** The error for a message of the protocols library, which begins with a field's path and may lack the full stop. */
export function invalidField(message: string): ApiError {
  return apiErrors.invalidRequest(/[.!?]$/.test(message) ? message : `${message}.`);
}

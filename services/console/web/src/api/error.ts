import type { ApiError as ErrorBody } from '@tollgate/proto/api-types';
import { sentence } from '../format/sentence.ts';

/** Codes of the API, and `unreachable` if there was no response. */
export type ErrorCode = ErrorBody['error']['code'] | 'unreachable';

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** The field at fault, such as `limits.open_requests`. */
  readonly field: string | null;

  constructor(code: ErrorCode, status: number, message: string, field: string | null) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.field = field;
  }
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something failed in this page. Reload it, then try again.';
}

/** Messages by field, for forms: `validationErrors` of a Form. They stand at the field, so its name is left out. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || error.field === null) return {};
  const prefix = `${error.field}: `;
  const { message } = error;
  return { [error.field]: message.startsWith(prefix) ? sentence(message.slice(prefix.length)) : message };
}

/** The first thing that is wrong with a draft, as the API would refuse it. `errors` are messages by field. */
export function draftError(errors: Readonly<Record<string, string>>): ApiError {
  const [field = null, message = 'Check what was entered.'] = Object.entries(errors)[0] ?? [];
  return new ApiError('invalid_request', 400, message, field);
}

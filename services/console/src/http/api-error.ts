import type { ApiError as ApiErrorBody } from '@tollgate/proto/api-types';

/** The status of each code. */
export const STATUS_OF = {
  invalid_request: 400,
  not_signed_in: 401,
  not_allowed: 403,
  not_found: 404,
  conflict: 409,
  too_many_requests: 429,
  unavailable: 503,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

/** Status of a body beyond its limit, an `invalid_request` too. */
export const TOO_LARGE = 413;

export interface ApiErrorOptions extends ErrorOptions {
  /** The field at fault, as the caller named it. */
  field?: string | undefined;
  /** Instead of the usual status of the code. */
  status?: number;
  /** When a repeated call may succeed. */
  retryAfterS?: number;
}

/** An error that the caller of an operation gets. Its message is shown to people: sentences that hold nothing secret. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly field: string | null;
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = options.status ?? STATUS_OF[code];
    this.field = options.field ?? null;
    this.retryAfterS = options.retryAfterS;
  }

  /** The body of its response. */
  toBody(): ApiErrorBody {
    return { error: { code: this.code, message: this.message, field: this.field } };
  }
}

/** Errors that several operations have. */
export const apiErrors = {
  invalid: (field: string, problem: string) => new ApiError('invalid_request', `${field}: ${problem}`, { field }),
  notSignedIn: () => new ApiError('not_signed_in', 'Sign in to continue.'),
  unavailable: (cause: unknown) =>
    new ApiError('unavailable', 'A part of Tollgate does not respond. Try again in a moment.', {
      cause,
      retryAfterS: 2,
    }),
  unconfirmed: (cause: unknown) =>
    new ApiError(
      'unavailable',
      'A part of Tollgate has not answered. It may have done this: look before you try again.',
      {
        cause,
      },
    ),
  internal: (cause: unknown) =>
    new ApiError('internal_error', 'Something went wrong in Tollgate. The operator finds it by the trace id.', {
      cause,
    }),
};

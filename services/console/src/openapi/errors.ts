import type { Operation } from '../api/operations.ts';
import { STATUS_OF, TOO_LARGE } from '../http/api-error.ts';
import type { Schemas } from './schemas.ts';
import type { JsonSchema, Reference, ResponseObject } from './types.ts';

interface ErrorResponse {
  status: number | 'default';
  description: string;
  /** With a `retry-after` header. */
  retry?: true;
}

/** Error responses by their names in the document. All have the same body. */
const ERRORS = {
  InvalidRequest: {
    status: STATUS_OF.invalid_request,
    description: 'A part of the request is wrong; `field` names it.',
  },
  NotSignedIn: { status: STATUS_OF.not_signed_in, description: 'The credentials are missing or not valid.' },
  NotAllowed: { status: STATUS_OF.not_allowed, description: 'The caller may not do this.' },
  NotFound: {
    status: STATUS_OF.not_found,
    description: 'What the request names does not exist, or the caller cannot see it.',
  },
  Conflict: { status: STATUS_OF.conflict, description: 'The present state does not permit it; `message` says why.' },
  TooLarge: { status: TOO_LARGE, description: 'The body is too large.' },
  TooManyRequests: {
    status: STATUS_OF.too_many_requests,
    description: 'A limit is reached, of attempts, of open responses or of what an account may have.',
    retry: true,
  },
  Unavailable: { status: STATUS_OF.unavailable, description: 'A part of Tollgate does not respond.', retry: true },
  UnexpectedError: { status: 'default', description: 'Any other error.' },
} as const satisfies Record<string, ErrorResponse>;

type ErrorName = keyof typeof ERRORS;

/** The body of every response with a status of 400 or more. */
const BODY: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(STATUS_OF) },
        message: { type: 'string' },
        field: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description: 'The field at fault, such as `limits.open_requests`.',
        },
      },
      required: ['code', 'message', 'field'],
    },
  },
  required: ['error'],
};

/** All error responses. */
export function renderErrors(schemas: Schemas): Record<string, ResponseObject> {
  const content = { 'application/json': { schema: schemas.add('ApiError', BODY) } };
  const headers = {
    'retry-after': {
      description: 'Seconds after which a repeated call may succeed.',
      schema: { type: 'integer' as const },
    },
  };
  return Object.fromEntries(
    Object.entries<ErrorResponse>(ERRORS).map(([name, { description, retry }]) => [
      name,
      { description, ...(retry === undefined ? {} : { headers }), content },
    ]),
  );
}

interface Failing {
  access: Operation['access'];
  method: string;
  hasBody: boolean;
  /** Whether its path has any. */
  hasIds: boolean;
}

/** References to the errors that an operation can have, by status. */
export function errorsOf(
  { access, method, hasBody, hasIds }: Failing,
  scheme: 'managementKey' | 'session',
): Record<string, Reference> {
  const isChange = method !== 'GET';
  const possible: Record<ErrorName, boolean> = {
    InvalidRequest: true,
    // Signing in and links have credentials in the body.
    NotSignedIn: access !== 'anyone' || isChange,
    // People: also by the origin of a change.
    NotAllowed: Array.isArray(access) || (scheme === 'session' && isChange),
    NotFound: hasIds || hasBody,
    Conflict: isChange,
    TooLarge: hasBody,
    TooManyRequests: true,
    Unavailable: true,
    UnexpectedError: true,
  };
  return Object.fromEntries(
    (Object.keys(ERRORS) as ErrorName[])
      .filter((name) => possible[name])
      .map((name) => [String(ERRORS[name].status), { $ref: `#/components/responses/${name}` }]),
  );
}

import { OAuthError } from './oauth-error.ts';

/** The fields of a form; one that is sent twice is a list. */
export type Form = Readonly<Record<string, unknown>>;

/** A field of a form that must be sent once. */
export function required(form: Form, name: string): string {
  const value = form[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new OAuthError('invalid_request', `${name} must be sent, once.`);
}

/** The command line is the only client, and has no secret. */
export function requireClient(form: Form): void {
  if (required(form, 'client_id') !== 'tollgate-cli')
    throw new OAuthError('invalid_client', 'The client is not known.', 401);
}

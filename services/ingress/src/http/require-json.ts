import { apiErrors } from '../errors/api-error.ts';

/** SDKs always say that they send JSON; a form or a text would be something else by mistake. */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^\s*application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType)) return;
  throw apiErrors.invalidRequest('The content-type header must be application/json.');
}

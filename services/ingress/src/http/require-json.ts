import { apiErrors } from '../errors/api-error.ts';

/** Rejects bodies declared as anything but JSON. SDKs always declare JSON; undeclared bodies are accepted. */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^\s*application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType)) return;
  throw apiErrors.invalidRequest('The content-type header must be application/json.');
}

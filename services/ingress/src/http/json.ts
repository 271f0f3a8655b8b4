import type { ServerResponse } from 'node:http';
import { apiErrors } from '../errors/api-error.ts';

/** Rejects bodies declared as anything but JSON. SDKs always declare JSON; undeclared bodies are accepted. */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^\s*application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType)) return;
  throw apiErrors.invalidRequest('The content-type header must be application/json.');
}

/** Sends a value as JSON. */
export function sendJson(res: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('content-length', Buffer.byteLength(body));
  res.end(body);
}

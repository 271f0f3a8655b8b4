import type { ServerResponse } from 'node:http';

/** Sends a value as JSON. */
export function sendJson(res: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('content-length', Buffer.byteLength(body));
  res.end(body);
}

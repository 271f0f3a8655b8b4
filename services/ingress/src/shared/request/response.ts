import type { ServerResponse } from 'node:http';

const MAX_WARNING_CHARACTERS = 2_000;

/** Larger bodies are not copied into the text of the head. */
const MAX_COPIED_BYTES = 8 * 1_024;

/** Sends a body. Node.js writes a small one together with the head only if both are text. */
export function sendBody(res: ServerResponse, body: Buffer): void {
  if (body.length <= MAX_COPIED_BYTES) res.end(body.toString('latin1'), 'latin1');
  else res.end(body);
}

/** Sends a value as JSON. */
export function sendJson(res: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('content-length', Buffer.byteLength(body));
  res.end(body);
}

/** Reports what was changed or left out in `x-tollgate-warnings`, separated by semicolons and truncated. */
export function setWarnings(res: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const text = warnings.map((warning) => warning.replace(/[^\x20-\x7e]/g, '?').replaceAll(';', ',')).join('; ');
  res.setHeader('x-tollgate-warnings', text.slice(0, MAX_WARNING_CHARACTERS));
}

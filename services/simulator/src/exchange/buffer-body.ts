import type { IncomingMessage } from 'node:http';

/** Maximum body size. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Reads a complete body; undefined if it is too large. Rejects if the caller disconnects before its end. */
export async function bufferBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes <= MAX_BODY_BYTES) parts.push(part);
  }
  if (bytes > MAX_BODY_BYTES) return undefined;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

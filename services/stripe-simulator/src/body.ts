import type { IncomingMessage } from 'node:http';

/** Reads a body; undefined if it is larger than `maxBytes`. Rejects if the caller disconnects before its end. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
  }
  return bytes > maxBytes ? undefined : Buffer.concat(parts);
}

import { CommandFailure } from '../terminal/failure.ts';

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * Reads the body of a response.
 *
 * @param sender who responds, for the message
 * @throws CommandFailure for a body that is too large
 */
export async function readText(response: Response, sender: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new CommandFailure(`the response of ${sender} is too large`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The JSON of a body; undefined: it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Finds the ends of the HTTP/1.1 messages of a warm-up, which arrive one at a time on a connection and are ASCII. By hand, because
 * V8 optimizes code for the objects it has seen: through a client and a server of Node.js's in the same process, its code
 * would have seen others than those of the ingress.
 */
export class MessageReader {
  #text = '';

  /** Adds what has arrived; returns the message once it is complete. */
  read(chunk: Buffer): string | undefined {
    this.#text += chunk.toString('latin1');
    if (!isComplete(this.#text)) return undefined;
    const message = this.#text;
    this.#text = '';
    return message;
  }
}

function isComplete(text: string): boolean {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = CONTENT_LENGTH.exec(text.slice(0, headEnd))?.[1];
  if (length === undefined) return text.endsWith(LAST_CHUNK);
  return text.length >= headEnd + HEAD_END.length + Number(length);
}

/** One event of a stream, as it was sent. */
export interface SseEvent {
  /**
   * The exact bytes, from the end of the event before to the blank line that ends this one. The raw bytes of all events
   * make up the stream, with the blank line that its last event may lack.
   */
  readonly raw: Buffer;
  /**
   * The `data` lines without their names, joined by line feeds. Undefined when there was no such line, as in a comment
   * that keeps the connection alive: clients get nothing of these.
   */
  readonly data: Buffer | undefined;
  /** The `event` field; empty if there was none, which means `message` to clients. */
  readonly type: string;
}

/** The result of parsing some bytes of a stream. */
export type SseResult =
  | { readonly ok: true; readonly events: readonly SseEvent[] }
  /** An event is larger than the limit. `events` are those before it; the parser accepts no more bytes. */
  | {
      readonly ok: false;
      readonly kind: 'event_too_large';
      readonly maxEventBytes: number;
      readonly events: readonly SseEvent[];
    };

/**
 * Encodes one event.
 *
 * @param data may have several lines
 * @param type the `event` field, one line; left out when empty
 */
export function encodeSseEvent(data: string, type = ''): Buffer {
  const name = type === '' ? '' : `event: ${type}\n`;
  const lines = data.includes('\n') || data.includes('\r') ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  return Buffer.from(`${name}data: ${lines}\n\n`);
}

/** Encodes a one-line comment, which clients ignore. */
export function encodeSseComment(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}

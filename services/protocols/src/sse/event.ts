/** One event of a stream, as it was sent. */
export interface SseEvent {
  /**
   * The exact bytes, from the end of the event before to the blank line that ends this one. The raw bytes of all events
   * make up the stream, with the blank line that may be missing after its last event.
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

/**
 * The bytes of an event with other data. Its other bytes are kept, unless the data spanned several lines.
 *
 * @param type the event's name if it has to be encoded again
 */
export function replaceData(event: SseEvent, data: readonly Buffer[], type = event.type): Buffer {
  const { raw, data: old } = event;
  const at = placeOfData(event);
  if (old === undefined || at === -1) return encodeSseEvent(Buffer.concat(data).toString('utf8'), type);
  return Buffer.concat([raw.subarray(0, at), ...data, raw.subarray(at + old.length)]);
}

/** The same where the first bytes of the data are replaced, and the rest stays. */
export function replaceStart(event: SseEvent, length: number, start: Buffer): Buffer {
  const { raw, data } = event;
  const at = placeOfData(event);
  if (data === undefined || at === -1) return replaceData(event, [start, data?.subarray(length) ?? NO_DATA]);
  const bytes = Buffer.allocUnsafe(raw.length - length + start.length);
  raw.copy(bytes, 0, 0, at);
  start.copy(bytes, at);
  raw.copy(bytes, at + start.length, at + length);
  return bytes;
}

/** Where an event's bytes have its data; -1 if that was put together of several lines. */
function placeOfData({ raw, data }: SseEvent): number {
  const at = data === undefined ? -1 : data.byteOffset - raw.byteOffset;
  return data === undefined || data.buffer !== raw.buffer || at + data.length > raw.length ? -1 : Math.max(at, -1);
}

const NO_DATA = Buffer.alloc(0);

/** Encodes a one-line comment, which clients ignore. */
export function encodeSseComment(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}

import type { SseEvent, SseResult } from './event.ts';
import { UnreadBytes } from './unread-bytes.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;

const EMPTY = Buffer.alloc(0);
const LINE_FEED = Buffer.of(LF);
const BLANK_LINE = Buffer.of(LF, LF);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');

export interface SseParserOptions {
  /** Maximum raw size of an event. Between two pushes the parser keeps at most this much and one push. */
  readonly maxEventBytes: number;
}

/**
 * Reads an event stream as it arrives, cut at any byte.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 *
 * Events hold slices of the bytes given, which must not be written to afterwards. One exception: an event whose
 * blank line ends in a carriage return is returned once the next byte is known, so that a line feed cut off from it
 * stays with its event.
 */
export class SseParser {
  readonly #maxEventBytes: number;
  readonly #rest = new UnreadBytes();
  /** Offset up to which the remaining bytes were searched; a line starts there. */
  #searched = 0;
  /** Whether a carriage return was met in the stream; most have none, and are read faster. */
  #hasReturns = false;
  #isFirst = true;
  #failed = false;

  constructor(options: SseParserOptions) {
    this.#maxEventBytes = options.maxEventBytes;
  }

  /** Bytes of an incomplete event. */
  get keptBytes(): number {
    return this.#rest.length;
  }

  /** Takes the next bytes of the stream and returns the events they complete. */
  push(chunk: Buffer): SseResult {
    if (this.#failed) return this.#tooLarge([]);
    this.#hasReturns ||= chunk.includes(CR);
    const bytes = this.#rest.join(chunk);
    const events: SseEvent[] = [];
    let start = 0;
    for (;;) {
      const end = this.#hasReturns ? this.#endWithReturns(bytes, start) : this.#end(bytes, start);
      if ((end === -1 ? bytes.length : end) - start > this.#maxEventBytes) return this.#tooLarge(events);
      if (end === -1) break;
      events.push(this.#event(bytes.subarray(start, end)));
      start = end;
      this.#searched = 0;
    }
    this.#rest.drop(start);
    return { ok: true, events };
  }

  /**
   * What is left when the stream has ended: an event without the blank line that should end it, which the specification
   * has clients drop, though official SDKs take it. Its raw bytes get that blank line, so that they can be passed on with
   * another event after them. Undefined when nothing is left.
   */
  end(): SseEvent | undefined {
    const rest = this.#rest.join(EMPTY);
    this.#rest.drop(rest.length);
    this.#searched = 0;
    return rest.length === 0 || this.#failed ? undefined : this.#event(withBlankLine(rest));
  }

  #tooLarge(events: readonly SseEvent[]): SseResult {
    this.#failed = true;
    this.#rest.clear();
    return { ok: false, kind: 'event_too_large', maxEventBytes: this.#maxEventBytes, events };
  }

  /** The offset after the event that begins at `start`, in bytes without carriage returns; -1 if it is incomplete. */
  #end(bytes: Buffer, start: number): number {
    let line = start + this.#searched;
    for (;;) {
      const feed = bytes.indexOf(LF, line);
      if (feed === -1) break;
      if (feed === line) return feed + 1;
      line = feed + 1;
    }
    this.#searched = line - start;
    return -1;
  }

  /** The same where lines may end in CR LF or CR. */
  #endWithReturns(bytes: Buffer, start: number): number {
    let line = start + this.#searched;
    for (let at = line; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) continue;
      if (byte === CR && at + 1 === bytes.length) break;
      const next = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
      if (at === line) return next;
      line = next;
      at = next - 1;
    }
    this.#searched = line - start;
    return -1;
  }

  #event(raw: Buffer): SseEvent {
    let line = this.#isFirst && startsWith(raw, 0, raw.length, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    this.#isFirst = false;
    let data: Buffer | undefined;
    let lines: Buffer[] | undefined;
    let type = '';
    while (line < raw.length) {
      const end = this.#hasReturns ? lineEnd(raw, line) : feedOrEnd(raw, line);
      if (isField(raw, line, end, DATA)) {
        const value = raw.subarray(valueStart(raw, line + DATA.length, end), end);
        if (data === undefined) data = value;
        else {
          lines ??= [data];
          lines.push(LINE_FEED, value);
        }
      } else if (isField(raw, line, end, EVENT)) {
        type = raw.toString('utf8', valueStart(raw, line + EVENT.length, end), end);
      }
      line = end + (raw[end] === CR && raw[end + 1] === LF ? 2 : 1);
    }
    return { raw, data: lines === undefined ? data : Buffer.concat(lines), type };
  }
}

/** Completes an event that is cut off anywhere. A carriage return that ends a blank line is complete. */
function withBlankLine(rest: Buffer): Buffer {
  const [before, last] = [rest.at(-2), rest.at(-1)];
  return last === CR && (before === CR || before === LF) ? rest : Buffer.concat([rest, BLANK_LINE]);
}

function feedOrEnd(bytes: Buffer, start: number): number {
  const feed = bytes.indexOf(LF, start);
  return feed === -1 ? bytes.length : feed;
}

function lineEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
  return at;
}

/** Whether the line is that field: its name, then a colon or the line's end. */
function isField(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (!startsWith(bytes, start, end, name)) return false;
  const after = start + name.length;
  return after === end || bytes[after] === COLON;
}

function startsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  if (end - start < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}

/** Where a field's value starts: after the colon and one space. */
function valueStart(bytes: Buffer, colon: number, end: number): number {
  if (colon === end) return end;
  return colon + 1 < end && bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
}

import { type JsonRecord, parseJson } from '../json/record.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LEFT_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;

/** Deeper events are not compared. */
const MAX_DEPTH = 16;

/** Up to so many bytes, a loop is faster than the call of `Buffer.compare`. */
const MAX_LOOP_BYTES = 64;

/** Every number of so many digits is an exact integer. */
const MAX_DIGITS = 15;

/** What a text may contain that stands for something else, or is not valid. */
const PECULIAR = /[\p{Cc}\\\ufffd]/u;

/** A place where events that are otherwise alike differ. */
type Gap =
  | { readonly kind: 'space' }
  | {
      readonly kind: 'text' | 'count';
      readonly holder: Record<string | number, unknown>;
      readonly key: string | number;
    };

/** The bytes that events have in common, and where they differ: gaps between fixed pieces, one more piece than gaps. */
export class JsonTemplate {
  /** The value of the event that was read last. */
  readonly value: JsonRecord;
  readonly #pieces: readonly Buffer[];
  readonly #gaps: readonly Gap[];
  readonly #found: (string | number)[];

  constructor(value: JsonRecord, pieces: readonly Buffer[], gaps: readonly Gap[]) {
    this.value = value;
    this.#pieces = pieces;
    this.#gaps = gaps;
    this.#found = gaps.map(() => '');
  }

  /** Puts what an event has in the gaps into the value; false if it has other bytes beside them, or something unusual in them. */
  fill(data: Buffer): boolean {
    const gaps = this.#gaps;
    let at = 0;
    for (let i = 0; i < gaps.length; i++) {
      const start = this.#pieceEnd(i, data, at);
      if (start === -1) return false;
      const gap = gaps[i];
      if (gap === undefined) return false;
      switch (gap.kind) {
        case 'text': {
          const quote = data.indexOf(QUOTE, start);
          const end = data[quote - 1] === BACKSLASH ? stringEnd(data, start - 1) - 1 : quote;
          const text = end < start ? undefined : textOf(data.toString('utf8', start, end));
          if (text === undefined) return false;
          this.#found[i] = text;
          at = end;
          break;
        }
        case 'count':
          at = digitsEnd(data, start);
          if (!isCount(data, start, at)) return false;
          this.#found[i] = Number(data.toString('latin1', start, at));
          break;
        case 'space':
          at = spaceEnd(data, start);
          break;
        default:
          return gap satisfies never;
      }
    }
    if (this.#pieceEnd(gaps.length, data, at) !== data.length) return false;
    for (let i = 0; i < gaps.length; i++) {
      const gap = gaps[i];
      if (gap !== undefined && gap.kind !== 'space') gap.holder[gap.key] = this.#found[i];
    }
    return true;
  }

  /** The offset after a piece that begins at `at`; -1 if it does not. */
  #pieceEnd(index: number, data: Buffer, at: number): number {
    const piece = this.#pieces[index];
    if (piece === undefined) return -1;
    const end = at + piece.length;
    return end <= data.length && isSame(piece, 0, data, at, piece.length) ? end : -1;
  }
}

/**
 * What two events have in common; undefined if they are equal, or differ in more than white space and members of these names.
 *
 * @param value the value of the later one, which the template fills from then on
 */
export function compareEvents(
  earlier: Buffer,
  later: Buffer,
  value: JsonRecord,
  varying: ReadonlySet<string>,
): JsonTemplate | undefined {
  return new Comparison(earlier, later, value, varying).template();
}

/** Compares two valid JSON texts token by token. */
class Comparison {
  readonly #earlier: Buffer;
  readonly #later: Buffer;
  readonly #value: JsonRecord;
  readonly #varying: ReadonlySet<string>;
  readonly #pieces: Buffer[] = [];
  readonly #gaps: Gap[] = [];
  /** Offsets in the earlier and the later text. */
  #before = 0;
  #at = 0;
  /** Where the next piece begins in the later one. */
  #pieceStart = 0;

  constructor(earlier: Buffer, later: Buffer, value: JsonRecord, varying: ReadonlySet<string>) {
    this.#earlier = earlier;
    this.#later = later;
    this.#value = value;
    this.#varying = varying;
  }

  template(): JsonTemplate | undefined {
    this.#space();
    if (!this.#members(this.#value, 0, RIGHT_BRACE)) return undefined;
    this.#space();
    const areComplete = this.#before === this.#earlier.length && this.#at === this.#later.length;
    if (!areComplete || this.#gaps.length === 0) return undefined;
    this.#pieces.push(Buffer.from(this.#later.subarray(this.#pieceStart)));
    return new JsonTemplate(this.#value, this.#pieces, this.#gaps);
  }

  /** Compares the members of an object, or the elements of an array, from its opening to its closing character. */
  #members(holder: object, depth: number, closing: number): boolean {
    if (depth > MAX_DEPTH || !this.#same(closing === RIGHT_BRACE ? LEFT_BRACE : LEFT_BRACKET)) return false;
    this.#space();
    if (this.#same(closing)) return true;
    for (let index = 0; ; index++) {
      const key = closing === RIGHT_BRACE ? this.#key() : index;
      if (key === undefined || !this.#member(holder, key, depth)) return false;
      this.#space();
      // Of members with the same key the value has only one.
      if (this.#same(closing)) return Object.keys(holder).length === index + 1;
      if (!this.#same(COMMA)) return false;
      this.#space();
    }
  }

  /** Reads a key and its colon; undefined if the texts have different ones, or one that may stand for another. */
  #key(): string | undefined {
    const start = this.#at;
    const end = stringEnd(this.#later, start);
    if (!this.#sameUntil(stringEnd(this.#earlier, this.#before), end)) return undefined;
    const key = this.#later.toString('utf8', start + 1, end - 1);
    this.#space();
    if (key.includes('\\') || key === '__proto__' || !this.#same(COLON)) return undefined;
    this.#space();
    return key;
  }

  #member(holder: object, key: string | number, depth: number): boolean {
    const members = holder as Record<string | number, unknown>;
    const value = members[key];
    const first = this.#later[this.#at];
    if (first === LEFT_BRACE || first === LEFT_BRACKET) {
      const closing = first === LEFT_BRACE ? RIGHT_BRACE : RIGHT_BRACKET;
      return typeof value === 'object' && value !== null && this.#members(value, depth + 1, closing);
    }
    const [endBefore, end] = [valueEnd(this.#earlier, this.#before), valueEnd(this.#later, this.#at)];
    if (this.#sameUntil(endBefore, end)) return true;
    if (typeof key === 'number' || !this.#varying.has(key)) return false;
    if (first === QUOTE && this.#earlier[this.#before] === QUOTE) {
      this.#gap({ kind: 'text', holder: members, key }, this.#at + 1, endBefore - 1, end - 1);
      return this.#same(QUOTE);
    }
    if (!isCount(this.#earlier, this.#before, endBefore) || !isCount(this.#later, this.#at, end)) return false;
    this.#gap({ kind: 'count', holder: members, key }, this.#at, endBefore, end);
    return true;
  }

  #space(): void {
    const [endBefore, end] = [spaceEnd(this.#earlier, this.#before), spaceEnd(this.#later, this.#at)];
    if (!this.#sameUntil(endBefore, end)) this.#gap({ kind: 'space' }, this.#at, endBefore, end);
  }

  /** Ends a piece at `start`, and skips what differs. */
  #gap(gap: Gap, start: number, endBefore: number, end: number): void {
    this.#pieces.push(Buffer.from(this.#later.subarray(this.#pieceStart, start)));
    this.#gaps.push(gap);
    this.#before = endBefore;
    this.#at = end;
    this.#pieceStart = end;
  }

  /** Skips a character if both texts have it. */
  #same(character: number): boolean {
    if (this.#earlier[this.#before] !== character || this.#later[this.#at] !== character) return false;
    this.#before++;
    this.#at++;
    return true;
  }

  /** Skips a token if both texts have the same. */
  #sameUntil(endBefore: number, end: number): boolean {
    const length = end - this.#at;
    if (endBefore - this.#before !== length) return false;
    if (!isSame(this.#earlier, this.#before, this.#later, this.#at, length)) return false;
    this.#before = endBefore;
    this.#at = end;
    return true;
  }
}

/** Whether two buffers have the same bytes at these offsets. Both are long enough. */
function isSame(first: Buffer, start: number, second: Buffer, at: number, length: number): boolean {
  if (length > MAX_LOOP_BYTES) return first.compare(second, at, at + length, start, start + length) === 0;
  for (let i = 0; i < length; i++) if (first[start + i] !== second[at + i]) return false;
  return true;
}

/** The text that stands between quotes; undefined if it is not valid, or may not be. */
function textOf(json: string): string | undefined {
  if (!PECULIAR.test(json)) return json;
  const text = json.includes('\ufffd') ? undefined : parseJson(`"${json}"`);
  return typeof text === 'string' ? text : undefined;
}

/** The end of a string, or of a number, `true`, `false` or `null`. */
function valueEnd(text: Buffer, start: number): number {
  if (text[start] === QUOTE) return stringEnd(text, start);
  let at = start;
  while (at < text.length && !isDelimiter(text[at])) at++;
  return at;
}

/** The offset after the string that begins at `start`. */
function stringEnd(text: Buffer, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function spaceEnd(text: Buffer, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}

function digitsEnd(text: Buffer, start: number): number {
  let at = start;
  while (isDigit(text[at])) at++;
  return at;
}

/** Whether it is a number of digits only. */
function isCount(text: Buffer, start: number, end: number): boolean {
  const digits = end - start;
  if (digits < 1 || digits > MAX_DIGITS || digitsEnd(text, start) !== end) return false;
  return digits === 1 || text[start] !== ZERO;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === COMMA || byte === RIGHT_BRACE || byte === RIGHT_BRACKET || isSpace(byte);
}

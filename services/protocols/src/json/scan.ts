import { isUtf8 } from 'node:buffer';
import { decodeKey, isKey } from './key.ts';
import {
  JsonMember,
  type JsonObject,
  type ScanError,
  type ScanErrorKind,
  type ScanLimits,
  type ScanResult,
} from './object.ts';
import { OpenKeys } from './open-keys.ts';
import { appendKey, prependIndex, prependKey } from './path.ts';
import { PlainText } from './plain-text.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LEFT_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;

/**
 * Checks in one pass that the bytes are exactly one JSON object (RFC 8259, UTF-8, no byte order mark) within the limits,
 * and finds where its members are. What it accepts is what JSON.parse accepts: numbers of any size, lone surrogates in
 * escapes, and `__proto__` as a key like any other.
 */
export function scanObject(bytes: Buffer, limits: ScanLimits): ScanResult {
  const scanner = new Scanner(bytes, limits);
  const object = scanner.scan();
  if (object !== undefined) return { ok: true, object };
  return { ok: false, error: scanner.error };
}

class Scanner {
  readonly #bytes: Buffer;
  readonly #limits: ScanLimits;
  readonly #maxValues: number;
  readonly #maxMembers: number;
  readonly #text: PlainText;
  /** Undefined if keys may repeat. */
  readonly #keys: OpenKeys | undefined;
  #values = 0;
  #at = 0;
  #kind: ScanErrorKind = 'syntax';
  #problem = '';
  #offset = 0;
  #path = '';
  /** Whether the last string had escapes. */
  #escaped = false;

  constructor(bytes: Buffer, limits: ScanLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#maxValues = limits.maxValues ?? Number.POSITIVE_INFINITY;
    this.#maxMembers = limits.maxMembers ?? Number.POSITIVE_INFINITY;
    this.#text = new PlainText(bytes);
    this.#keys = limits.uniqueKeys ? new OpenKeys(bytes) : undefined;
  }

  get error(): ScanError {
    const where = this.#path === '' ? '' : `${this.#path}: `;
    return { kind: this.#kind, message: `${where}${this.#problem}`, offset: this.#offset, path: this.#path };
  }

  scan(): JsonObject | undefined {
    const bytes = this.#bytes;
    this.#skipSpace();
    const start = this.#at;
    if (start === bytes.length) {
      this.#fail('empty', 'the body is empty; it must be a JSON object');
      return undefined;
    }
    if (bytes[start] !== LEFT_BRACE) {
      if (this.#value(1) && this.#end()) this.#fail('not_object', 'the body must be a JSON object', start);
      return undefined;
    }
    const members: JsonMember[] = [];
    if (!this.#object(1, members)) return undefined;
    const end = this.#at;
    if (!this.#end()) return undefined;
    return { bytes, start, end, members, values: this.#values + 1 };
  }

  /** Only white space may follow, and the text must be valid UTF-8. */
  #end(): boolean {
    this.#skipSpace();
    if (this.#at !== this.#bytes.length) return this.#fail('syntax', `unexpected text after the end of the JSON value`);
    if (!isUtf8(this.#bytes)) return this.#fail('syntax', 'the body is not valid UTF-8', 0);
    return true;
  }

  #fail(kind: ScanErrorKind, problem: string, offset = this.#at): false {
    this.#kind = kind;
    this.#offset = offset;
    this.#problem = kind === 'syntax' ? `malformed JSON: ${problem} (byte ${offset})` : problem;
    return false;
  }

  #unexpected(expected: string): false {
    const found = this.#at < this.#bytes.length ? '' : ', found the end of the text';
    return this.#fail('syntax', `expected ${expected}${found}`);
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (;;) {
      const byte = bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
      at++;
    }
    this.#at = at;
  }

  #value(depth: number): boolean {
    this.#values++;
    if (this.#values > this.#maxValues) return this.#fail('too_many', `more than ${this.#maxValues} JSON values`);
    const byte = this.#bytes[this.#at];
    switch (byte) {
      case QUOTE:
        return this.#string();
      case LEFT_BRACE:
        return this.#object(depth, undefined);
      case LEFT_BRACKET:
        return this.#array(depth);
      case 0x74:
        return this.#literal('true');
      case 0x66:
        return this.#literal('false');
      case 0x6e:
        return this.#literal('null');
      default:
        return this.#number();
    }
  }

  /** Reads an object and adds its members to `record`, if given. */
  #object(depth: number, record: JsonMember[] | undefined): boolean {
    if (depth > this.#limits.maxDepth) return this.#tooDeep();
    const bytes = this.#bytes;
    const keys = this.#keys;
    const ownKeys = keys?.begin() ?? 0;
    /** All keys of this object, if they must be compared as strings. */
    let decoded: Set<string> | undefined;
    this.#at++;
    this.#skipSpace();
    if (bytes[this.#at] === RIGHT_BRACE) {
      this.#at++;
      return true;
    }
    for (let place = 1; ; place++) {
      const keyStart = this.#at;
      if (place > this.#maxMembers)
        return this.#fail('too_many', `more than ${this.#maxMembers} members in one object`);
      if (bytes[keyStart] !== QUOTE) return this.#unexpected('a key in double quotes');
      if (!this.#string()) return false;
      const keyEnd = this.#at;
      if (keys !== undefined) {
        const added = decoded === undefined ? keys.add(ownKeys, keyStart, keyEnd, this.#escaped) : 'decode';
        if (added === 'repeated') return this.#duplicate(keyStart, keyEnd);
        if (added === 'decode') {
          decoded ??= keys.decoded(ownKeys);
          const key = decodeKey(bytes, keyStart, keyEnd);
          if (decoded.has(key)) return this.#duplicate(keyStart, keyEnd);
          decoded.add(key);
        }
      }
      this.#skipSpace();
      if (bytes[this.#at] !== COLON) return this.#unexpected('":"');
      this.#at++;
      this.#skipSpace();
      const valueStart = this.#at;
      const members = record !== undefined && depth === 1 ? this.#recordFor(keyStart, keyEnd) : undefined;
      const read = members === undefined ? this.#value(depth + 1) : this.#object(depth + 1, members);
      if (!read) {
        this.#path = prependKey(decodeKey(bytes, keyStart, keyEnd), this.#path);
        return false;
      }
      record?.push(new JsonMember(bytes, keyStart, keyEnd, valueStart, this.#at, members));
      this.#skipSpace();
      const next = bytes[this.#at];
      if (next !== COMMA && next !== RIGHT_BRACE) return this.#unexpected('"," or "}"');
      this.#at++;
      if (next === RIGHT_BRACE) {
        keys?.end(ownKeys);
        return true;
      }
      this.#skipSpace();
    }
  }

  /** A list for the members of the value that begins here, if it is an object whose members were requested. */
  #recordFor(keyStart: number, keyEnd: number): JsonMember[] | undefined {
    if (this.#bytes[this.#at] !== LEFT_BRACE) return undefined;
    return this.#limits.within.some((key) => isKey(this.#bytes, keyStart, keyEnd, key)) ? [] : undefined;
  }

  #array(depth: number): boolean {
    if (depth > this.#limits.maxDepth) return this.#tooDeep();
    const bytes = this.#bytes;
    this.#at++;
    this.#skipSpace();
    if (bytes[this.#at] === RIGHT_BRACKET) {
      this.#at++;
      return true;
    }
    for (let index = 0; ; index++) {
      if (!this.#value(depth + 1)) {
        this.#path = prependIndex(index, this.#path);
        return false;
      }
      this.#skipSpace();
      const next = bytes[this.#at];
      if (next !== COMMA && next !== RIGHT_BRACKET) return this.#unexpected('"," or "]"');
      this.#at++;
      if (next === RIGHT_BRACKET) return true;
      this.#skipSpace();
    }
  }

  #string(): boolean {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    this.#escaped = false;
    for (;;) {
      at = this.#text.end(at);
      this.#at = at;
      const byte = bytes[at];
      if (byte === undefined) return this.#fail('syntax', 'a string has no end');
      if (byte === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (byte !== BACKSLASH) return this.#fail('syntax', 'a control character in a string must be escaped');
      const size = escapeSize(bytes, at);
      if (size === 0) return this.#fail('syntax', 'a string has an invalid escape');
      this.#escaped = true;
      at += size;
    }
  }

  #literal(text: string): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < text.length; i++) {
      if (bytes[this.#at + i] !== text.charCodeAt(i)) return this.#unexpected('a value');
    }
    this.#at += text.length;
    return true;
  }

  #number(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    if (bytes[at] === MINUS) at++;
    if (!isDigit(bytes[at])) return this.#unexpected('a value');
    if (bytes[at] === ZERO) at++;
    else while (isDigit(bytes[at])) at++;
    if (bytes[at] === DOT) {
      if (!isDigit(bytes[at + 1])) return this.#fail('syntax', 'a number has no digits after its point', at);
      at++;
      while (isDigit(bytes[at])) at++;
    }
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      at += bytes[at + 1] === 0x2b || bytes[at + 1] === MINUS ? 2 : 1;
      if (!isDigit(bytes[at])) return this.#fail('syntax', 'a number has no digits in its exponent', at);
      while (isDigit(bytes[at])) at++;
    }
    this.#at = at;
    return true;
  }

  #tooDeep(): false {
    return this.#fail('too_deep', `nested deeper than ${this.#limits.maxDepth} levels`);
  }

  #duplicate(keyStart: number, keyEnd: number): false {
    const key = decodeKey(this.#bytes, keyStart, keyEnd);
    this.#path = appendKey('', key);
    return this.#fail('duplicate_key', 'the key appears more than once in its object', keyStart);
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** Length of the escape that begins at a backslash, 0 when it is not one. */
function escapeSize(bytes: Buffer, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    case 0x75:
      return isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]) && isHex(bytes[at + 5]) ? 6 : 0;
    default:
      return 0;
  }
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

import { decodeKey, isKey } from './key.ts';

/** What a JSON value is. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';

/** One member of an object, as byte offsets into its text. */
export class JsonMember {
  readonly #bytes: Buffer;
  readonly #keyEnd: number;
  /** Where the key's opening quote is. */
  readonly keyStart: number;
  readonly valueStart: number;
  /** The offset after the value's last byte. */
  readonly valueEnd: number;
  /** The value's own members, where they were asked for and the value is an object. */
  readonly members: readonly JsonMember[] | undefined;

  constructor(
    bytes: Buffer,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
    members: readonly JsonMember[] | undefined,
  ) {
    this.#bytes = bytes;
    this.#keyEnd = keyEnd;
    this.keyStart = keyStart;
    this.valueStart = valueStart;
    this.valueEnd = valueEnd;
    this.members = members;
  }

  /** The decoded key. */
  get key(): string {
    return decodeKey(this.#bytes, this.keyStart, this.#keyEnd);
  }

  get kind(): JsonKind {
    return kindOf(this.#bytes[this.valueStart]);
  }

  /** Whether the member has that key. */
  isNamed(key: string): boolean {
    return isKey(this.#bytes, this.keyStart, this.#keyEnd, key);
  }
}

/** A JSON text that is known to be one valid object, and where its members are. */
export interface JsonObject {
  readonly bytes: Buffer;
  /** The offset of the opening brace. */
  readonly start: number;
  /** The offset after the closing brace. */
  readonly end: number;
  /** In the order of the text. */
  readonly members: readonly JsonMember[];
  /** How many JSON values the text has, at any depth. */
  readonly values: number;
}

/** The top-level member of that key; of several, the last, which is the one JSON.parse keeps. */
export function memberOf(object: JsonObject, key: string): JsonMember | undefined {
  return lastNamed(object.members, key);
}

/** The last of the members with that key. */
export function lastNamed(members: readonly JsonMember[], key: string): JsonMember | undefined {
  for (let i = members.length - 1; i >= 0; i--) {
    const member = members[i];
    if (member?.isNamed(key) === true) return member;
  }
  return undefined;
}

export interface ScanLimits {
  /** Deepest nesting allowed; the outermost object is depth 1. */
  readonly maxDepth: number;
  /** Maximum number of values in the text, at any depth; unlimited when absent. */
  readonly maxValues?: number;
  /** Maximum number of members of one object; unlimited when absent. */
  readonly maxMembers?: number;
  /** Rejects an object with two members of the same key. Off for texts from upstreams. */
  readonly uniqueKeys: boolean;
  /** Keys of top-level members whose own members are recorded too. */
  readonly within: readonly string[];
}

export type ScanErrorKind = 'empty' | 'syntax' | 'duplicate_key' | 'too_deep' | 'too_many' | 'not_object';

export interface ScanError {
  readonly kind: ScanErrorKind;
  /** A sentence for the sender of the text. It names the path and the offset, and quotes nothing but keys. */
  readonly message: string;
  /** Where in the text, in bytes. */
  readonly offset: number;
  /** Such as `messages[2].content`; empty at the top. */
  readonly path: string;
}

export type ScanResult =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly error: ScanError };

function kindOf(first: number | undefined): JsonKind {
  switch (first) {
    case 0x7b:
      return 'object';
    case 0x5b:
      return 'array';
    case 0x22:
      return 'string';
    case 0x74:
      return 'true';
    case 0x66:
      return 'false';
    case 0x6e:
      return 'null';
    default:
      return 'number';
  }
}

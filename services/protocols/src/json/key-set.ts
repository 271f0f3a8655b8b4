/** Above this many keys a hash set is faster than comparing each with each. */
const MAX_COMPARED_KEYS = 12;

/**
 * The keys of one object met so far. Few plain keys, the usual case, are compared as bytes without making a string;
 * many keys, or keys with escapes, as decoded strings.
 */
export class KeySet {
  readonly #bytes: Buffer;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #decoded: Set<string> | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Adds the key with quotes at `start` and `end - 1`.
   *
   * @returns false when it was there
   */
  add(start: number, end: number, escaped: boolean): boolean {
    if (this.#decoded === undefined && !escaped && this.#starts.length < MAX_COMPARED_KEYS) {
      for (let i = 0; i < this.#starts.length; i++) {
        if (this.#isSame(this.#starts[i] ?? 0, this.#ends[i] ?? 0, start, end)) return false;
      }
      this.#starts.push(start);
      this.#ends.push(end);
      return true;
    }
    const decoded = this.#decode();
    const key = escaped ? String(JSON.parse(this.#text(start, end))) : this.#text(start + 1, end - 1);
    if (decoded.has(key)) return false;
    decoded.add(key);
    return true;
  }

  #decode(): Set<string> {
    if (this.#decoded !== undefined) return this.#decoded;
    const decoded = new Set<string>();
    for (let i = 0; i < this.#starts.length; i++) {
      decoded.add(this.#text((this.#starts[i] ?? 0) + 1, (this.#ends[i] ?? 0) - 1));
    }
    this.#decoded = decoded;
    return decoded;
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }

  #isSame(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    if (end - start !== otherEnd - otherStart) return false;
    const bytes = this.#bytes;
    for (let i = 1; i < end - start; i++) {
      if (bytes[start + i] !== bytes[otherStart + i]) return false;
    }
    return true;
  }
}

import { decodeKey } from './key.ts';

/** Above this many keys a hash set is faster than comparing each with each. */
const MAX_COMPARED_KEYS = 12;

/**
 * The keys met so far of the objects that are open while a text is scanned, to find repeated ones. Few plain keys, the usual
 * case, are compared as bytes without making a string; many keys, or keys with escapes, as decoded strings.
 */
export class OpenKeys {
  readonly #bytes: Buffer;
  /** Start and end of each plain key, with its quotes. An object's keys follow those of the object around it. */
  readonly #bounds: number[] = [];
  #size = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Begins an object, within the one begun before it. @returns its place, for the other calls */
  begin(): number {
    return this.#size;
  }

  /** Ends the object. */
  end(place: number): void {
    this.#size = place;
  }

  /**
   * Adds a key with quotes at `start` and `end - 1`.
   *
   * @returns `new`, `repeated`, or `decode` if it must be compared as a decoded string, as all later keys of the object
   */
  add(place: number, start: number, end: number, escaped: boolean): 'new' | 'repeated' | 'decode' {
    const bounds = this.#bounds;
    const size = this.#size;
    if (escaped || size - place >= 2 * MAX_COMPARED_KEYS) return 'decode';
    for (let i = place; i < size; i += 2) {
      if (this.#isSame(bounds[i] ?? 0, bounds[i + 1] ?? 0, start, end)) return 'repeated';
    }
    bounds[size] = start;
    bounds[size + 1] = end;
    this.#size = size + 2;
    return 'new';
  }

  /** The object's keys so far as strings. */
  decoded(place: number): Set<string> {
    const keys = new Set<string>();
    for (let i = place; i < this.#size; i += 2) {
      keys.add(decodeKey(this.#bytes, this.#bounds[i] ?? 0, this.#bounds[i + 1] ?? 0));
    }
    return keys;
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

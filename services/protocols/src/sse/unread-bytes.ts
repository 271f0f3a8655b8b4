const EMPTY = Buffer.alloc(0);

/**
 * The bytes of a stream that were not consumed yet. Chunks are appended to a store that doubles when it is full, so that
 * an event in many small chunks is not copied with each of them. Bytes that were handed out are never written to again.
 */
export class UnreadBytes {
  #store: Buffer = EMPTY;
  #from = 0;
  #to = 0;
  /** Whether the store was allocated here; a caller's chunk is not written to. */
  #isOwn = false;

  get length(): number {
    return this.#to - this.#from;
  }

  /** The remaining bytes followed by the chunk. */
  join(chunk: Buffer): Buffer {
    const size = this.length;
    if (size === 0) {
      this.#store = chunk;
      this.#from = 0;
      this.#to = chunk.length;
      this.#isOwn = false;
      return chunk;
    }
    if (!this.#isOwn || this.#to + chunk.length > this.#store.length) this.#grow(2 * (size + chunk.length));
    chunk.copy(this.#store, this.#to);
    this.#to += chunk.length;
    return this.#store.subarray(this.#from, this.#to);
  }

  /** Drops so many bytes from the front. */
  drop(bytes: number): void {
    this.#from += bytes;
    if (this.#from === this.#to) this.clear();
  }

  clear(): void {
    this.#store = EMPTY;
    this.#from = 0;
    this.#to = 0;
    this.#isOwn = false;
  }

  #grow(capacity: number): void {
    const store = Buffer.allocUnsafe(capacity);
    this.#to = this.#store.copy(store, 0, this.#from, this.#to);
    this.#from = 0;
    this.#store = store;
    this.#isOwn = true;
  }
}

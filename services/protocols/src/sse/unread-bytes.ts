const EMPTY = Buffer.alloc(0);

/**
 * The end of a stream's bytes that is not used yet. Chunks are added behind it in a store that doubles when it is full,
 * so that an event which comes in many small chunks is not copied with each of them. What was handed out is never
 * written to again.
 */
export class UnreadBytes {
  #store: Buffer = EMPTY;
  #from = 0;
  #to = 0;
  /** Whether the store was made here; a chunk given from outside is not written to. */
  #isOwn = false;

  get length(): number {
    return this.#to - this.#from;
  }

  /** The rest with the chunk behind it. */
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

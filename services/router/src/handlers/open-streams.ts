/** Streams that stay open for as long as both sides live, so that a stopping server can end them. */
export class OpenStreams {
  readonly #ends = new Set<() => void>();
  #closed = false;

  /** Adds a stream. Returns what removes it again. */
  add(end: () => void): () => void {
    if (this.#closed) {
      end();
      return () => undefined;
    }
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  /** Ends all streams, and those that come later at once. */
  endAll(): void {
    this.#closed = true;
    for (const end of this.#ends) end();
    this.#ends.clear();
  }
}

/** The open upstream calls, so that a stopping process can end those that take too long. */
export class OpenCalls {
  readonly #stops = new Set<() => void>();
  #stopped = false;

  /** Adds a call; stops it at once after `stopAll`. Returns a function that removes it. */
  add(stop: () => void): () => void {
    if (this.#stopped) {
      stop();
      return () => undefined;
    }
    this.#stops.add(stop);
    return () => this.#stops.delete(stop);
  }

  /** Stops every call, and each one that is added later. */
  stopAll(): void {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }
}

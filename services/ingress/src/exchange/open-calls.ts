/** The upstream calls under way, so that a process that stops can end those that outlast its patience. */
export class OpenCalls {
  readonly #stops = new Set<() => void>();
  #stopped = false;

  /** Adds a call, which is stopped at once when all are. Returns what takes it out again. */
  add(stop: () => void): () => void {
    if (this.#stopped) {
      stop();
      return () => undefined;
    }
    this.#stops.add(stop);
    return () => this.#stops.delete(stop);
  }

  /** Stops every call, and each that is added from now on. */
  stopAll(): void {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }
}

/** Maximum number of keys; beyond it, the oldest starts again. */
const MAX_KEYS = 10_000;

/** Counts calls by key, for failures that end after a number of calls. */
export class FailFirst {
  readonly #seen = new Map<string, number>();

  /** Counts one call. @returns whether it is among the first `count` of its key */
  shouldFail(key: string, count: number): boolean {
    const before = this.#seen.get(key) ?? 0;
    this.#seen.set(key, before + 1);
    if (this.#seen.size > MAX_KEYS) {
      const oldest = this.#seen.keys().next();
      if (!oldest.done) this.#seen.delete(oldest.value);
    }
    return before < count;
  }
}

/** A bounded map whose entries expire. When it is full, the oldest entry goes. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { value: V; untilMs: number }>();
  readonly #maxEntries: number;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(maxEntries: number, now: () => number = () => performance.now()) {
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.untilMs > this.#now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, lifeMs: number): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#maxEntries) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, untilMs: this.#now() + lifeMs });
  }
}

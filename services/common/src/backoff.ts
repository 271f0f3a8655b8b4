/**
 * Exponential back-off with jitter, up to a maximum. By hand because callers keep the timers: libraries run the attempts
 * themselves.
 */
export class Backoff {
  readonly #minMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #nextMs: number;

  constructor(minMs: number, maxMs: number, random: () => number = Math.random) {
    this.#minMs = minMs;
    this.#maxMs = maxMs;
    this.#random = random;
    this.#nextMs = minMs;
  }

  /** The delay before the next attempt: 50 to 100 percent of a duration that doubles each time. */
  next(): number {
    const delay = this.#nextMs * (0.5 + this.#random() / 2);
    this.#nextMs = Math.min(this.#maxMs, this.#nextMs * 2);
    return delay;
  }

  reset(): void {
    this.#nextMs = this.#minMs;
  }
}

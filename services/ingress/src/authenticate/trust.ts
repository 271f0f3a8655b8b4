import type { Clock, Instant } from '../journal/clock.ts';

/**
 * Until when what is remembered of keys may be believed. Both clocks count, as the monotonic one stands still while a
 * machine is suspended, and the wall clock may be set back.
 */
export class Trust {
  readonly #clock: Clock;
  #until: Instant | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isValid(): boolean {
    const until = this.#until;
    return until !== undefined && this.#clock.monotonicMs() < until.monotonicMs && this.#clock.wallMs() < until.wallMs;
  }

  /** How long it lasts unless a clock jumps. */
  get leftMs(): number {
    return this.#until === undefined ? 0 : Math.max(0, this.#until.monotonicMs - this.#clock.monotonicMs());
  }

  /** Grants it for a time from a moment on, unless it lasts longer already. */
  grant(from: Instant, forMs: number): void {
    const monotonicMs = from.monotonicMs + forMs;
    if (this.#until !== undefined && monotonicMs < this.#until.monotonicMs) return;
    this.#until = { monotonicMs, wallMs: from.wallMs + forMs };
  }

  end(): void {
    this.#until = undefined;
  }
}

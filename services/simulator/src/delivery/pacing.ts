import type { Controls } from '../controls/schema.ts';

/** How long late usage waits when no wait was asked for. */
const LATE_USAGE_MS = 200;

/** The waits of a stream: before its first token, before each one, and before late usage. */
export class Pacing {
  readonly #delayMs: number;
  readonly #lateMs: number;
  #wait: number;

  constructor(controls: Controls) {
    this.#delayMs = controls.token_delay_ms ?? 0;
    this.#wait = (controls.first_token_delay_ms ?? 0) + this.#delayMs;
    this.#lateMs = controls.usage === 'late' ? (controls.usage_delay_ms ?? LATE_USAGE_MS) : 0;
  }

  /** The wait before the next token. */
  next(): number {
    const wait = this.#wait;
    this.#wait = this.#delayMs;
    return wait;
  }

  /** The wait before the usage that ends a stream. */
  usage(): number {
    return this.#lateMs;
  }
}

import type { Controls } from '../controls/schema.ts';

/** Default delay of late usage. */
const LATE_USAGE_MS = 200;

/** The delays of a stream: before its first token, each later one, and late usage. */
export class Pacing {
  readonly #delayMs: number;
  readonly #lateMs: number;
  #wait: number;

  constructor(controls: Controls) {
    this.#delayMs = controls.token_delay_ms ?? 0;
    this.#wait = (controls.first_token_delay_ms ?? 0) + this.#delayMs;
    this.#lateMs = controls.usage === 'late' ? (controls.usage_delay_ms ?? LATE_USAGE_MS) : 0;
  }

  /** The delay before the next token. */
  next(): number {
    const wait = this.#wait;
    this.#wait = this.#delayMs;
    return wait;
  }

  /** The delay before the usage at the end of a stream. */
  usage(): number {
    return this.#lateMs;
  }
}

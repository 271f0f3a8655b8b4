import type { Clock } from '../state/clock.ts';
import { badParameter, StripeFailure } from './failure.ts';

/** How long an answer is kept, as Stripe documents. */
const KEPT_MS = 24 * 3_600_000;
const MAX_KEYS = 10_000;
const MAX_LENGTH = 255;

export interface Answer {
  status: number;
  body: string;
  requestId: string;
}

interface Entry {
  at: number;
  path: string;
  parameters: string;
  /** Undefined while the first call runs. */
  answer: Answer | undefined;
}

/** Answers by idempotency key. */
export class IdempotencyKeys {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Begins a call with a key.
   *
   * @returns the recorded answer of an equal call, undefined if this is the first
   * @throws StripeFailure if the key was used for another call, or for one that still runs
   */
  begin(key: string, path: string, parameters: string): Answer | undefined {
    if (key.length > MAX_LENGTH) throw badParameter('', `Idempotency keys have at most ${MAX_LENGTH} characters.`);
    const entry = this.#live(key);
    if (entry === undefined) {
      this.#entries.set(key, { at: this.#clock.now(), path, parameters, answer: undefined });
      this.#forgetOldest();
      return undefined;
    }
    if (entry.path !== path) throw misused(`for the same endpoint they were first used for ('${entry.path}')`, key);
    if (entry.parameters !== parameters) throw misused('with the same parameters they were first used with', key);
    if (entry.answer === undefined) {
      throw new StripeFailure(
        409,
        `There is currently another in-progress request using this Idempotency Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
        { type: 'idempotency_error', code: 'idempotency_key_in_use' },
      );
    }
    return entry.answer;
  }

  record(key: string, answer: Answer): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.answer = answer;
  }

  /** Ends a call that had no effect: the key is free again. */
  release(key: string): void {
    this.#entries.delete(key);
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#clock.now() - entry.at < KEPT_MS) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  #forgetOldest(): void {
    const oldest = this.#entries.size > MAX_KEYS ? this.#entries.keys().next() : undefined;
    if (oldest?.done === false) this.#entries.delete(oldest.value);
  }
}

function misused(how: string, key: string): StripeFailure {
  return new StripeFailure(
    400,
    `Keys for idempotent requests can only be used ${how}. Try using a key other than '${key}' if you meant to execute a different request.`,
    { type: 'idempotency_error' },
  );
}

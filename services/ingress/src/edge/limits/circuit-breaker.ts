import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';

/** How long Redis is left alone after it failed. */
const PAUSE_MS = 200;

/**
 * Decides whether Redis is called. After a failure one request at a time calls it, so that all others are decided
 * without waiting, until it responds again.
 */
export class CircuitBreaker {
  readonly #logger: Logger;
  readonly #now: () => number;
  #failing = false;
  #probing = false;
  #pausedUntilMs = 0;

  /** @param now a monotonic clock, in milliseconds */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Whether the last call of Redis succeeded. */
  get isHealthy(): boolean {
    return !this.#failing;
  }

  /** Calls Redis; undefined if it fails or failed a moment ago. */
  async run<T>(call: () => Promise<T>): Promise<T | undefined> {
    const isProbe = this.#failing;
    if (isProbe && (this.#probing || this.#now() < this.#pausedUntilMs)) return undefined;
    if (isProbe) this.#probing = true;
    try {
      const result = await call();
      if (this.#failing) this.#logger.info('Redis responds again: all ingresses share the limits');
      this.#failing = false;
      return result;
    } catch (error) {
      if (!this.#failing)
        this.#logger.warn(
          { reason: messageOf(error) },
          'Redis does not respond: each ingress enforces the limits alone',
        );
      this.#failing = true;
      this.#pausedUntilMs = this.#now() + PAUSE_MS;
      return undefined;
    } finally {
      if (isProbe) this.#probing = false;
    }
  }
}

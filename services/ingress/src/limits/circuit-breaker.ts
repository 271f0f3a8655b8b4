import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';

/** How long Redis is left alone after it failed. */
const PAUSE_MS = 200;

/**
 * Decides whether Redis is asked. Once it has failed it is asked by one request at a time, so that all others are judged
 * without waiting for it, until it answers again.
 */
export class CircuitBreaker {
  readonly #logger: Logger;
  readonly #now: () => number;
  #failing = false;
  #probing = false;
  #pausedUntilMs = 0;

  /** @param now a clock that never goes back, in milliseconds */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Whether Redis answered when it was last asked. */
  get isHealthy(): boolean {
    return !this.#failing;
  }

  /** Asks Redis; undefined when it fails, or failed just now. */
  async run<T>(question: () => Promise<T>): Promise<T | undefined> {
    const isProbe = this.#failing;
    if (isProbe && (this.#probing || this.#now() < this.#pausedUntilMs)) return undefined;
    if (isProbe) this.#probing = true;
    try {
      const answer = await question();
      if (this.#failing) this.#logger.info('Redis answers again: limits are shared by all ingresses');
      this.#failing = false;
      return answer;
    } catch (error) {
      if (!this.#failing)
        this.#logger.warn({ reason: messageOf(error) }, 'Redis does not answer: limits hold for each ingress alone');
      this.#failing = true;
      this.#pausedUntilMs = this.#now() + PAUSE_MS;
      return undefined;
    } finally {
      if (isProbe) this.#probing = false;
    }
  }
}

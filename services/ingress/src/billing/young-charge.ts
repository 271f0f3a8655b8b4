import { timeOfId } from '@tollgate/common/ids';
import { ApiError, apiErrors } from '../errors/api-error.ts';

/** Longest a lookup waits for a charge that is still to be committed. */
const WAIT_MS = 2_000;
/** Waiting lookups per key; beyond that a lookup answers at once. */
export const WAITERS_PER_KEY = 100;
/** When a lookup that could not wait is worth repeating. */
const RETRY_MS = 1_000;
/** Clocks of two machines differ by no more than this. */
const CLOCK_SKEW_MS = 5_000;

/** Decides how long a lookup may wait for its charge, and bounds how many wait. */
export class YoungChargeWaits {
  readonly #waiting = new Map<string, number>();
  readonly #longestRequestMs: number;

  constructor(longestRequestMs: number) {
    this.#longestRequestMs = longestRequestMs;
  }

  /** Milliseconds to wait: 0 for a request too old to be under way, or one from the future. */
  waitFor(requestId: string, nowMs: number): number {
    const age = nowMs - timeOfId(requestId);
    return age > this.#longestRequestMs || age < -CLOCK_SKEW_MS ? 0 : WAIT_MS;
  }

  /**
   * Runs a lookup that may wait, or without waiting where the key has too many under way. What is not there then may well
   * be there in a moment, so that it is told to come again rather than that it does not exist.
   */
  async run<T>(keyId: string, waitMs: number, work: (waitMs: number) => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(keyId) ?? 0;
    if (waitMs === 0) return work(0);
    if (waiting >= WAITERS_PER_KEY) return work(0).catch(retryWhereMissing);
    this.#waiting.set(keyId, waiting + 1);
    try {
      return await work(waitMs);
    } finally {
      const left = (this.#waiting.get(keyId) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(keyId);
      else this.#waiting.set(keyId, left);
    }
  }
}

function retryWhereMissing(error: unknown): never {
  if (error instanceof ApiError && error.type === 'not_found') throw apiErrors.rateLimited(RETRY_MS);
  throw error;
}

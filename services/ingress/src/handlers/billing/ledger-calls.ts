import { status } from '@grpc/grpc-js';
import { Counts } from '@tollgate/common/counts';
import { isGrpcError } from '@tollgate/common/errors';
import { timeOfId } from '@tollgate/common/ids';
import { ApiError, apiErrors } from '../../shared/errors/api-error.ts';

/** Maximum duration of a billing call to the ledger, including the wait for a pending charge. */
export const LEDGER_DEADLINE_MS = 5_000;

/** Turns the error of a ledger call into one of the billing endpoints. `what` names the requested thing. */
export async function callLedger<T>(what: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isGrpcError(error)) throw error;
    switch (error.code) {
      case status.NOT_FOUND:
        throw apiErrors.recordNotFound(what);
      case status.INVALID_ARGUMENT:
        throw apiErrors.invalidRequest(error.details);
      case status.UNAVAILABLE:
      case status.DEADLINE_EXCEEDED:
      case status.RESOURCE_EXHAUSTED:
        throw apiErrors.unavailable('The ledger');
      default:
        throw error;
    }
  }
}

/** Maximum time that a lookup waits for a charge that is not committed yet. */
const MAX_WAIT_MS = 2_000;
/** Maximum number of waiting lookups per key; further lookups do not wait. */
export const MAX_WAITERS_PER_KEY = 100;
/** When to repeat a lookup that could not wait. */
const RETRY_AFTER_MS = 1_000;
/** Maximum difference between the clocks of two machines. */
const MAX_CLOCK_SKEW_MS = 5_000;

/** Lets lookups of recent requests wait for their charge, and limits how many wait. */
export class PendingChargeLookups {
  readonly #waiting = new Counts();
  readonly #longestRequestMs: number;
  readonly #settleNow: () => void;

  /** @param settleNow called when a lookup begins to wait */
  constructor(longestRequestMs: number, settleNow: () => void) {
    this.#longestRequestMs = longestRequestMs;
    this.#settleNow = settleNow;
  }

  /** How long to wait: 0 for a request that is too old to be open, or in the future. */
  waitMs(requestId: string, nowMs: number): number {
    const age = nowMs - timeOfId(requestId);
    return age > this.#longestRequestMs || age < -MAX_CLOCK_SKEW_MS ? 0 : MAX_WAIT_MS;
  }

  /**
   * Runs a lookup that may wait; without waiting when too many lookups of the key wait already. A record that is missing
   * then may exist in a moment, so the client is asked to retry instead of getting a 404.
   */
  async run<T>(keyId: string, waitMs: number, work: (waitMs: number) => Promise<T>): Promise<T> {
    if (waitMs === 0) return work(0);
    this.#settleNow();
    if (this.#waiting.of(keyId) >= MAX_WAITERS_PER_KEY) return work(0).catch(retryIfMissing);
    this.#waiting.add(keyId);
    try {
      return await work(waitMs);
    } finally {
      this.#waiting.remove(keyId);
    }
  }
}

function retryIfMissing(error: unknown): never {
  if (error instanceof ApiError && error.type === 'not_found') throw apiErrors.rateLimited(RETRY_AFTER_MS);
  throw error;
}

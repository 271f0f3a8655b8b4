import { Counts } from '@tollgate/common/counts';
import { isUuid, timeOfId } from '@tollgate/common/ids';

/** Maximum time that a lookup waits for a charge or refusal that is not recorded yet. */
const MAX_WAIT_MS = 2_000;
/** Lookups of an account that may wait at the same time; further ones do not wait. */
export const MAX_WAITING = 20;
/** Requests started longer ago are recorded, unless they are still open. */
const YOUNG_MS = 60_000;
/** Maximum difference between the clocks of two machines. */
const MAX_CLOCK_SKEW_MS = 5_000;

/** Lets lookups of young requests wait for their record, and limits how many wait. */
export class PendingLookups {
  readonly #waiting = new Counts();

  /**
   * Runs a lookup with the time that it may wait: 0 for an id that is old, or if many wait already. A trace id has no time,
   * and may be young.
   */
  async run<T>(accountId: string, id: string, nowMs: number, lookup: (waitMs: number) => Promise<T>): Promise<T> {
    if (this.#waiting.of(accountId) >= MAX_WAITING || !mayBeYoung(id, nowMs)) return lookup(0);
    this.#waiting.add(accountId);
    try {
      return await lookup(MAX_WAIT_MS);
    } finally {
      this.#waiting.remove(accountId);
    }
  }
}

function mayBeYoung(id: string, nowMs: number): boolean {
  if (!isUuid(id) || id[14] !== '7') return true;
  const age = nowMs - timeOfId(id);
  return age < YOUNG_MS && age > -MAX_CLOCK_SKEW_MS;
}

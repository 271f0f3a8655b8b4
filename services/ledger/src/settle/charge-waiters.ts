import { RpcError } from '@tollgate/common/errors';

/** Maximum waiting lookups in one process; each queries the database a few times a second. */
const MAX_WAITING = 500;

/** Wakes lookups that wait for a charge when this process commits it. */
export class ChargeWaiters {
  readonly #wakes = new Map<string, Set<() => void>>();
  #count = 0;

  /** Whether no lookup waits, so that commits can skip their charges. */
  get idle(): boolean {
    return this.#count === 0;
  }

  /**
   * Resolves when a charge of the account is committed under this request or trace id, after `ms`, or when the signal aborts,
   * whichever is first.
   */
  async wait(accountId: string, id: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const key = `${accountId}/${id}`;
    const done = Promise.withResolvers<void>();
    const timer = setTimeout(done.resolve, ms);
    const aborted = () => done.resolve();
    signal.addEventListener('abort', aborted, { once: true });
    const set = this.#wakes.get(key) ?? new Set();
    this.#wakes.set(key, set.add(done.resolve));
    try {
      await done.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      set.delete(done.resolve);
      if (set.size === 0 && this.#wakes.get(key) === set) this.#wakes.delete(key);
    }
  }

  /** Wakes the lookups that wait for this charge, by either id. */
  wake(accountId: string, requestId: string, traceId: string): void {
    for (const id of [requestId, traceId]) {
      for (const wake of this.#wakes.get(`${accountId}/${id}`) ?? []) wake();
    }
  }

  /** Reserves a place for a waiting lookup; the returned function frees it. */
  enter(): () => void {
    if (this.#count >= MAX_WAITING)
      throw new RpcError('resource_exhausted', 'too many lookups are waiting for their charge');
    this.#count++;
    return () => {
      this.#count--;
    };
  }
}

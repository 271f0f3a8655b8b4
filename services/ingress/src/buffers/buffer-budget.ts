/** Why more bytes are not granted: the account's share is used up, or the whole budget is. */
export type BudgetRefusal = 'account_full' | 'process_full';

/** How long a reservation waits for room at most, in all. */
const WAIT_MS = 10_000;

interface Waiter {
  reservation: Reservation;
  bytes: number;
  settle: (refusal: BudgetRefusal | undefined) => void;
}

/**
 * Bounds the bytes that this process buffers for all requests together, and half of that for those of one account. What
 * does not fit waits for others to end, for a bounded time.
 */
export class BufferBudget {
  readonly #totalBytes: number;
  readonly #accountBytes: number;
  readonly #waitMs: number;
  readonly #ofAccount = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();
  readonly #onReleased: (bytes: number) => void;
  #used = 0;

  /** @param onReleased called with the bytes of each reservation that is over */
  constructor(totalBytes: number, onReleased: (bytes: number) => void = () => undefined, waitMs = WAIT_MS) {
    this.#totalBytes = totalBytes;
    this.#accountBytes = Math.floor(totalBytes / 2);
    this.#onReleased = onReleased;
    this.#waitMs = waitMs;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** The most that one account can have, and so the most that one reservation can. */
  get accountBytes(): number {
    return this.#accountBytes;
  }

  /** Begins a reservation of an account, of no bytes yet. */
  open(accountId: string): Reservation {
    return new Reservation(this, accountId);
  }

  /** Takes bytes for an account if there is room. For reservations only. */
  take(accountId: string, bytes: number): boolean {
    if (this.#refusalOf(accountId, bytes) !== undefined) return false;
    this.#used += bytes;
    this.#ofAccount.set(accountId, (this.#ofAccount.get(accountId) ?? 0) + bytes);
    return true;
  }

  /** Waits until bytes could be taken for a reservation; resolves with why they could not. For reservations only. */
  wait(reservation: Reservation, bytes: number): Promise<BudgetRefusal | undefined> {
    const { accountId } = reservation;
    if (bytes > this.#accountBytes) return Promise.resolve('account_full');
    const waitMs = reservation.leftToWait(this.#waitMs);
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.settle(this.#refusalOf(accountId, bytes) ?? 'process_full'), waitMs);
      const waiter: Waiter = {
        reservation,
        bytes,
        settle: (refusal) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(refusal);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Gives back what a reservation has, and ends its waiting. For reservations only. */
  giveBack(reservation: Reservation, bytes: number): void {
    const { accountId } = reservation;
    this.#used -= bytes;
    this.#onReleased(bytes);
    const left = (this.#ofAccount.get(accountId) ?? 0) - bytes;
    if (left > 0) this.#ofAccount.set(accountId, left);
    else this.#ofAccount.delete(accountId);
    for (const waiter of this.#waiters) {
      if (waiter.reservation === reservation) waiter.settle('process_full');
      else if (waiter.reservation.tryGrow(waiter.bytes)) waiter.settle(undefined);
    }
  }

  #refusalOf(accountId: string, bytes: number): BudgetRefusal | undefined {
    // The account's own share is named first: it is what its owner can do something about.
    if ((this.#ofAccount.get(accountId) ?? 0) + bytes > this.#accountBytes) return 'account_full';
    return this.#used + bytes > this.#totalBytes ? 'process_full' : undefined;
  }
}

/** The bytes that one request has of a budget. */
export class Reservation {
  readonly accountId: string;
  readonly #budget: BufferBudget;
  #bytes = 0;
  #released = false;
  #waitsSinceMs: number | undefined;

  constructor(budget: BufferBudget, accountId: string) {
    this.#budget = budget;
    this.accountId = accountId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes more bytes if there is room now. */
  tryGrow(bytes: number): boolean {
    if (this.#released || !this.#budget.take(this.accountId, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Takes more bytes as soon as there is room; resolves with why there was none in time. */
  grow(bytes: number): Promise<BudgetRefusal | undefined> {
    if (this.tryGrow(bytes)) return Promise.resolve(undefined);
    return this.#released ? Promise.resolve('process_full') : this.#budget.wait(this, bytes);
  }

  /**
   * What is left of the time that a reservation may wait, from its first waiting on. Reservations that grow could else keep
   * each other waiting for as long as there is a little room now and then.
   */
  leftToWait(waitMs: number): number {
    const nowMs = performance.now();
    this.#waitsSinceMs ??= nowMs;
    return Math.max(0, this.#waitsSinceMs + waitMs - nowMs);
  }

  /** Gives everything back, and takes nothing more. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#budget.giveBack(this, this.#bytes);
    this.#bytes = 0;
  }
}

/** Why more bytes are not granted: the account's share is used up, or the whole budget is. */
export type BudgetRefusal = 'account_full' | 'process_full';

const WAIT_MS = 10_000;

/** What is taken of the whole budget, or of the share of an account. */
interface Taken {
  bytes: number;
  /** The part of it that reservations have that expect more. */
  partial: number;
}

export interface BudgetOptions {
  /** A reservation that has, and expects, no more than this always gets it, so that large ones cannot keep it waiting. */
  smallBytes?: number;
  /** Called with the bytes of each reservation that is over. */
  onReleased?: (bytes: number) => void;
  /** How long a reservation waits for room at most, in all. */
  waitMs?: number;
}

interface Waiter {
  reservation: Reservation;
  bytes: number;
  settle: (refusal: BudgetRefusal | undefined) => void;
}

/**
 * Bounds the bytes that this process buffers for all requests together, and half of that for those of one account. What
 * does not fit waits for others to end, for a bounded time.
 *
 * A reservation that is to grow step by step gets a step only if all that it still expects would fit beside what other
 * unfinished ones have. So the one that got the last step can always be finished, then the one before it, and so on:
 * reservations never fill the budget with parts of which none can grow.
 */
export class BufferBudget {
  readonly #totalBytes: number;
  readonly #accountBytes: number;
  readonly #smallBytes: number;
  readonly #waitMs: number;
  readonly #taken: Taken = { bytes: 0, partial: 0 };
  readonly #ofAccount = new Map<string, Taken>();
  readonly #waiters = new Set<Waiter>();
  readonly #onReleased: (bytes: number) => void;
  #wakes = false;

  constructor(
    totalBytes: number,
    { smallBytes = 0, onReleased = () => undefined, waitMs = WAIT_MS }: BudgetOptions = {},
  ) {
    this.#totalBytes = totalBytes;
    this.#accountBytes = Math.floor(totalBytes / 2);
    this.#smallBytes = smallBytes;
    this.#onReleased = onReleased;
    this.#waitMs = waitMs;
  }

  get usedBytes(): number {
    return this.#taken.bytes;
  }

  /** The most that one account can have, and so the most that one reservation can. */
  get accountBytes(): number {
    return this.#accountBytes;
  }

  /** Begins a reservation of an account, of no bytes yet. */
  open(accountId: string): Reservation {
    return new Reservation(this, accountId);
  }

  /** Why a reservation cannot take more bytes now. For reservations only. */
  refusalOf({ accountId, bytes: has, expected }: Reservation, bytes: number): BudgetRefusal | undefined {
    const rest = Math.max(bytes, expected - has);
    if (has + rest <= this.#smallBytes) return undefined;
    const fits = (taken: Taken, limit: number) => taken.bytes + bytes <= limit && taken.partial + rest <= limit;
    // The account's own share is named first: it is what its owner can do something about.
    if (!fits(this.#ofAccount.get(accountId) ?? { bytes: 0, partial: 0 }, this.#accountBytes)) return 'account_full';
    return fits(this.#taken, this.#totalBytes) ? undefined : 'process_full';
  }

  /** Notes that what a reservation has, and what part of it is partial, has changed. For reservations only. */
  changed(accountId: string, change: Taken): void {
    const ofAccount = this.#ofAccount.get(accountId) ?? { bytes: 0, partial: 0 };
    for (const taken of [this.#taken, ofAccount]) {
      taken.bytes += change.bytes;
      taken.partial += change.partial;
    }
    if (ofAccount.bytes > 0) this.#ofAccount.set(accountId, ofAccount);
    else this.#ofAccount.delete(accountId);
    if (change.bytes < 0 || change.partial < 0) this.#wakeSoon();
  }

  /** Waits until bytes could be taken for a reservation; resolves with why they could not. For reservations only. */
  wait(reservation: Reservation, bytes: number): Promise<BudgetRefusal | undefined> {
    const wanted = Math.max(reservation.bytes + bytes, reservation.expected);
    if (wanted > this.#accountBytes) return Promise.resolve('account_full');
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => waiter.settle(this.refusalOf(reservation, bytes) ?? 'process_full'),
        Math.max(0, this.#waitMs - reservation.waitedMs),
      );
      const waiter: Waiter = {
        reservation,
        bytes,
        settle: (refusal) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          reservation.waitedMs += performance.now() - startedAt;
          resolve(refusal);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Notes that a reservation is over, and ends its waiting. For reservations only. */
  over(reservation: Reservation, bytes: number): void {
    this.#onReleased(bytes);
    for (const waiter of this.#waiters) if (waiter.reservation === reservation) waiter.settle('process_full');
  }

  /** Lets those go on for which there is room now. A step of theirs may make room for others, which are looked at next. */
  #wakeSoon(): void {
    if (this.#wakes || this.#waiters.size === 0) return;
    this.#wakes = true;
    queueMicrotask(() => {
      this.#wakes = false;
      for (const waiter of this.#waiters) if (waiter.reservation.tryGrow(waiter.bytes)) waiter.settle(undefined);
    });
  }
}

/** The bytes that one request has of a budget. */
export class Reservation {
  readonly accountId: string;
  /** How long it has waited for room, in all. Several that grow could else keep each other waiting for ever. */
  waitedMs = 0;
  readonly #budget: BufferBudget;
  #bytes = 0;
  #expected = 0;
  #released = false;

  constructor(budget: BufferBudget, accountId: string) {
    this.#budget = budget;
    this.accountId = accountId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What it will have in the end, as far as that is known: it is unfinished while it has less. */
  get expected(): number {
    return this.#expected;
  }

  /** Says what it will have in the end at most, before it takes any of it. */
  expect(bytes: number): void {
    this.#change(this.#bytes, bytes);
  }

  /** Keeps so many of its bytes, and is finished. */
  keep(bytes: number): void {
    if (!this.#released) this.#change(bytes, bytes);
  }

  /** Takes more bytes if there is room now. */
  tryGrow(bytes: number): boolean {
    if (this.refusalOf(bytes) !== undefined) return false;
    this.#change(this.#bytes + bytes, this.#expected);
    return true;
  }

  /** Takes more bytes as soon as there is room; resolves with why there was none in time. */
  grow(bytes: number): Promise<BudgetRefusal | undefined> {
    if (this.tryGrow(bytes)) return Promise.resolve(undefined);
    return this.#released ? Promise.resolve('process_full') : this.#budget.wait(this, bytes);
  }

  /** Why it cannot take more bytes now. */
  refusalOf(bytes: number): BudgetRefusal | undefined {
    return this.#released ? 'process_full' : this.#budget.refusalOf(this, bytes);
  }

  /** Gives everything back, and takes nothing more. */
  release(): void {
    if (this.#released) return;
    const bytes = this.#bytes;
    this.#change(0, 0);
    this.#released = true;
    this.#budget.over(this, bytes);
  }

  #change(bytes: number, expected: number): void {
    const [hadBytes, hadPartial] = [this.#bytes, this.#partial()];
    this.#bytes = bytes;
    this.#expected = expected;
    this.#budget.changed(this.accountId, { bytes: bytes - hadBytes, partial: this.#partial() - hadPartial });
  }

  #partial(): number {
    return this.#bytes < this.#expected ? this.#bytes : 0;
  }
}

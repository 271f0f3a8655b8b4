import type { CapacityReason } from '../errors/capacity.ts';

const MAX_WAIT_MS = 10_000;

/** Used bytes of the budget, or of an account's share. */
interface Usage {
  bytes: number;
  /** The part used by reservations that expect more. */
  partial: number;
}

export interface BufferBudgetOptions {
  /** A reservation that has and expects at most this much never waits, so that large ones cannot delay it. */
  smallBytes?: number;
  /** Maximum total time that a reservation waits. */
  waitMs?: number;
  /** Gets each change of the used bytes. */
  onChange?: (bytes: number) => void;
}

interface Waiter {
  reservation: Reservation;
  bytes: number;
  finish: (shortage: CapacityReason | undefined) => void;
}

/**
 * Limits the bytes that this process buffers for all requests together; one account may use half of it. Reservations that
 * do not fit wait for others to end, for a limited time.
 *
 * A reservation that grows step by step gets a step only if everything it still expects fits beside what other unfinished
 * ones have. So the one that got the last step can always finish, then the one before it, and so on: the budget never
 * fills with reservations that cannot grow (no deadlock).
 */
export class BufferBudget {
  readonly #totalBytes: number;
  readonly #accountBytes: number;
  readonly #smallBytes: number;
  readonly #waitMs: number;
  readonly #onChange: (bytes: number) => void;
  readonly #used: Usage = { bytes: 0, partial: 0 };
  readonly #usedByAccount = new Map<string, Usage>();
  readonly #waiters = new Set<Waiter>();
  #wakeScheduled = false;

  constructor(
    totalBytes: number,
    { smallBytes = 0, waitMs = MAX_WAIT_MS, onChange = () => undefined }: BufferBudgetOptions = {},
  ) {
    this.#totalBytes = totalBytes;
    this.#accountBytes = Math.floor(totalBytes / 2);
    this.#smallBytes = smallBytes;
    this.#waitMs = waitMs;
    this.#onChange = onChange;
  }

  get usedBytes(): number {
    return this.#used.bytes;
  }

  /** Maximum size of one account's reservations, and so of one reservation. */
  get accountBytes(): number {
    return this.#accountBytes;
  }

  /** Opens an empty reservation for an account. */
  open(accountId: string): Reservation {
    return new Reservation(this, accountId);
  }

  /** Why a reservation cannot take more bytes now. For reservations only. */
  shortageFor({ accountId, bytes: has, expected }: Reservation, bytes: number): CapacityReason | undefined {
    const rest = Math.max(bytes, expected - has);
    if (has + rest <= this.#smallBytes) return undefined;
    const fits = (used: Usage, limit: number) => used.bytes + bytes <= limit && used.partial + rest <= limit;
    // The account's share is reported first, because its owner can act on it.
    if (!fits(this.#usedByAccount.get(accountId) ?? { bytes: 0, partial: 0 }, this.#accountBytes))
      return 'account_full';
    return fits(this.#used, this.#totalBytes) ? undefined : 'process_full';
  }

  /** Records a change of what a reservation uses, by as many bytes. For reservations only. */
  changed(accountId: string, bytes: number, partial: number): void {
    this.#used.bytes += bytes;
    this.#used.partial += partial;
    this.#onChange(bytes);
    const byAccount = this.#usedByAccount.get(accountId);
    if (byAccount === undefined) this.#usedByAccount.set(accountId, { bytes, partial });
    else {
      byAccount.bytes += bytes;
      byAccount.partial += partial;
      if (byAccount.bytes === 0) this.#usedByAccount.delete(accountId);
    }
    if (bytes < 0 || partial < 0) this.#wakeSoon();
  }

  /** Waits until a reservation could take bytes; resolves with the reason if it could not. For reservations only. */
  wait(reservation: Reservation, bytes: number): Promise<CapacityReason | undefined> {
    const wanted = Math.max(reservation.bytes + bytes, reservation.expected);
    if (wanted > this.#accountBytes) return Promise.resolve('account_full');
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => waiter.finish(this.shortageFor(reservation, bytes) ?? 'process_full'),
        Math.max(0, this.#waitMs - reservation.waitedMs),
      );
      const waiter: Waiter = {
        reservation,
        bytes,
        finish: (shortage) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          reservation.waitedMs += performance.now() - startedAt;
          resolve(shortage);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Ends the waits of a released reservation. For reservations only. */
  released(reservation: Reservation): void {
    for (const waiter of this.#waiters) if (waiter.reservation === reservation) waiter.finish('process_full');
  }

  /** Resumes waiting reservations that fit now. Their steps may make room for others, which are checked next. */
  #wakeSoon(): void {
    if (this.#wakeScheduled || this.#waiters.size === 0) return;
    this.#wakeScheduled = true;
    queueMicrotask(() => {
      this.#wakeScheduled = false;
      for (const waiter of this.#waiters) if (waiter.reservation.tryGrow(waiter.bytes)) waiter.finish(undefined);
    });
  }
}

/** The bytes of a budget that one request uses. */
export class Reservation {
  readonly accountId: string;
  /** Total time it has waited. Without a limit on it, growing reservations could keep each other waiting forever. */
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

  /** Its expected final size, as far as known: it is unfinished while it has less. */
  get expected(): number {
    return this.#expected;
  }

  /** Sets its maximum final size, before it takes any of it. */
  expect(bytes: number): void {
    this.#change(this.#bytes, bytes);
  }

  /** Shrinks to its final size, and is finished. */
  shrinkTo(bytes: number): void {
    if (!this.#released) this.#change(bytes, bytes);
  }

  /** Takes more bytes if they fit now. */
  tryGrow(bytes: number): boolean {
    if (this.shortageFor(bytes) !== undefined) return false;
    this.#change(this.#bytes + bytes, this.#expected);
    return true;
  }

  /** Takes more bytes as soon as they fit; resolves with the reason if they did not fit in time. */
  grow(bytes: number): Promise<CapacityReason | undefined> {
    if (this.tryGrow(bytes)) return Promise.resolve(undefined);
    return this.#released ? Promise.resolve('process_full') : this.#budget.wait(this, bytes);
  }

  /** Why it cannot take more bytes now. */
  shortageFor(bytes: number): CapacityReason | undefined {
    return this.#released ? 'process_full' : this.#budget.shortageFor(this, bytes);
  }

  /** Releases everything; takes nothing more. */
  release(): void {
    if (this.#released) return;
    this.#change(0, 0);
    this.#released = true;
    this.#budget.released(this);
  }

  #change(bytes: number, expected: number): void {
    const hadBytes = this.#bytes;
    const hadPartial = this.#partial();
    this.#bytes = bytes;
    this.#expected = expected;
    const moreBytes = bytes - hadBytes;
    const morePartial = this.#partial() - hadPartial;
    if (moreBytes !== 0 || morePartial !== 0) this.#budget.changed(this.accountId, moreBytes, morePartial);
  }

  #partial(): number {
    return this.#bytes < this.#expected ? this.#bytes : 0;
  }
}

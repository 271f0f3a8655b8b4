import { minBigInt } from '@tollgate/common/money';
import { compareLots, DEFAULT_PRIORITY, type Lot } from './lot.ts';

/** The figures of an account that its lots must agree with. */
export interface LotAccount {
  /** What is available and leased. */
  credit: bigint;
  /** All that was ever charged to the account. */
  charged: bigint;
  /** How much of it the lots count as spent; undefined: the account has no lots yet. */
  attributed: bigint | undefined;
}

export interface OpenOptions {
  /** The id of a lot for credit that is in none. */
  newLotId: string;
  nowMs: bigint;
}

/** A lot to add. */
export type NewLot = Pick<
  Lot,
  'lotId' | 'paymentId' | 'kind' | 'priority' | 'endsAtMs' | 'createdAtMs' | 'amount' | 'dueAtMs'
>;

/**
 * The lots of an account that have something left, in the order in which they are spent. Charges do not touch lots: between two
 * movements of credit, lots and order stay the same, so attributing all charges since the last movement at once gives what
 * attributing each of them would.
 */
export class LotBook {
  #lots: Lot[];
  readonly #changed = new Set<Lot>();
  #attributed: bigint;

  private constructor(lots: readonly Lot[], attributed: bigint) {
    this.#lots = lots.map((lot) => ({ ...lot })).sort(compareLots);
    this.#attributed = attributed;
  }

  /**
   * Attributes all that was charged. Credit in no lot, which is from before lots or was made by an older release, becomes a paid
   * lot without an end; what an older release took without its lots is taken from them.
   *
   * @param lots those with something left
   */
  static open(lots: readonly Lot[], account: LotAccount, { newLotId, nowMs }: OpenOptions): LotBook {
    const attributed = account.attributed ?? 0n;
    const book = new LotBook(lots, attributed);
    const unattributed = account.charged - attributed;
    const outside = account.credit + unattributed - book.remaining();
    if (outside > 0n) {
      book.add({
        lotId: newLotId,
        paymentId: undefined,
        kind: 'paid',
        priority: DEFAULT_PRIORITY,
        endsAtMs: undefined,
        createdAtMs: nowMs,
        amount: outside,
        dueAtMs: undefined,
      });
    }
    if (outside < 0n) book.take(-outside);
    book.#spend(unattributed);
    return book;
  }

  /** All that was charged. */
  get attributed(): bigint {
    return this.#attributed;
  }

  /** In the order in which they are spent. */
  get lots(): readonly Lot[] {
    return this.#lots;
  }

  /** New and changed lots. */
  get changed(): readonly Lot[] {
    return [...this.#changed];
  }

  /** What is left of some lots, or of all. */
  remaining(which: (lot: Lot) => boolean = () => true): bigint {
    return this.#lots.filter(which).reduce((sum, lot) => sum + lot.remaining, 0n);
  }

  add(lot: NewLot): void {
    const added = { ...lot, remaining: lot.amount, spent: 0n, taken: 0n, expired: 0n };
    this.#lots = [...this.#lots, added].sort(compareLots);
    this.#changed.add(added);
  }

  /**
   * Takes an amount from lots in order, of which it must be left.
   *
   * @param first lots to take before all others
   */
  take(amount: bigint, first: (lot: Lot) => boolean = () => false): void {
    const order = [...this.#lots.filter(first), ...this.#lots.filter((lot) => !first(lot))];
    this.#move(amount, order, 'taken');
  }

  /** What open requests and idle leases claim of each lot, if they are charged in full. */
  leasedShares(leased: bigint): ReadonlyMap<Lot, bigint> {
    let left = leased;
    return new Map(
      this.#lots.map((lot) => {
        const share = minBigInt(lot.remaining, left);
        left -= share;
        return [lot, share];
      }),
    );
  }

  /** Ends a part of a lot. */
  expire(lot: Lot, amount: bigint): void {
    this.#move(amount, [lot], 'expired');
  }

  /** Sets when something is to be done about a lot's end. */
  postpone(lot: Lot, dueAtMs: bigint | undefined): void {
    lot.dueAtMs = dueAtMs;
    this.#changed.add(lot);
  }

  #spend(amount: bigint): void {
    this.#move(amount, this.#lots, 'spent');
    this.#attributed += amount;
  }

  #move(amount: bigint, order: readonly Lot[], to: 'spent' | 'taken' | 'expired'): void {
    let left = amount;
    for (const lot of order) {
      const part = minBigInt(lot.remaining, left);
      if (part === 0n) continue;
      lot.remaining -= part;
      lot[to] += part;
      left -= part;
      this.#changed.add(lot);
    }
    if (left > 0n) throw new Error(`lots lack ${left} nano-dollars`);
  }
}

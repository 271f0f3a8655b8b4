/** A lot in the model. */
export interface ModelLot {
  id: string;
  account: string;
  /** The deposit whose refunds and disputes take it. */
  payment: string;
  kind: 'paid' | 'granted';
  priority: number;
  endsAtMs: number | undefined;
  /** After it has ended: when the ledger looks at it again. */
  againAtMs: number;
  createdAtMs: number;
  left: bigint;
  spent: bigint;
  taken: bigint;
  expired: bigint;
}

/** How long the ledger leaves alone a lot that ended and is held. */
const AGAIN_MS = 5_000;

/**
 * The lots of all accounts, kept the plain way: each charge takes at once from the lots, and nothing is put off as in the ledger.
 */
export class LotModel {
  lots: ModelLot[] = [];

  clone(): LotModel {
    const copy = new LotModel();
    copy.lots = structuredClone(this.lots);
    return copy;
  }

  add(lot: Omit<ModelLot, 'spent' | 'taken' | 'expired' | 'againAtMs'>): void {
    this.lots.push({ ...lot, againAtMs: 0, spent: 0n, taken: 0n, expired: 0n });
  }

  find(id: string): ModelLot | undefined {
    return this.lots.find((lot) => lot.id === id);
  }

  left(account: string, which: (lot: ModelLot) => boolean = () => true): bigint {
    return this.#of(account).reduce((sum, lot) => (which(lot) ? sum + lot.left : sum), 0n);
  }

  spend(account: string, amount: bigint): void {
    takeAway(this.#of(account), amount, (lot, part) => {
      lot.spent += part;
    });
  }

  /** Takes from some lots first, then from the others in order. */
  take(account: string, amount: bigint, first: (lot: ModelLot) => boolean = () => false): void {
    const lots = this.#of(account);
    takeAway([...lots.filter(first), ...lots.filter((lot) => !first(lot))], amount, (lot, part) => {
      lot.taken += part;
    });
  }

  /** Whether a lot of the account has ended, and something is left that the ledger looks at now. */
  isEnding(account: string, nowMs: number): boolean {
    return this.lots.some((lot) => lot.account === account && isDue(lot, nowMs));
  }

  /**
   * Ends what is left of lots whose time has come, but what open requests may still be charged: all that is leased, charged nano by
   * nano in the order of lots, and no more than was kept before.
   *
   * @returns what ended
   */
  end(account: string, leased: bigint, nowMs: number): bigint {
    const charged = this.clone();
    charged.spend(account, leased);
    let ended = 0n;
    for (const lot of this.lots) {
      if (lot.account !== account || !isDue(lot, nowMs)) continue;
      const unclaimed = charged.find(lot.id)?.left ?? 0n;
      lot.left -= unclaimed;
      lot.expired += unclaimed;
      lot.againAtMs = nowMs + AGAIN_MS;
      ended += unclaimed;
    }
    return ended;
  }

  figures(): string[] {
    return this.lots.map(
      ({ id, account, payment, kind, left, spent, taken, expired }) =>
        `lot ${account} ${id} ${payment} ${kind} ${left} ${spent} ${taken} ${expired}`,
    );
  }

  #of(account: string): ModelLot[] {
    const lots = this.lots.filter((lot) => lot.account === account);
    const rank = ({ priority, endsAtMs = Number.MAX_SAFE_INTEGER, createdAtMs }: ModelLot) =>
      [priority, endsAtMs, createdAtMs].map((part) => String(part).padStart(20, '0')).join();
    return lots.sort((a, b) => (`${rank(a)}${a.id}` < `${rank(b)}${b.id}` ? -1 : 1));
  }
}

function isDue({ left, endsAtMs, againAtMs }: ModelLot, nowMs: number): boolean {
  return left > 0n && endsAtMs !== undefined && endsAtMs <= nowMs && againAtMs <= nowMs;
}

function takeAway(lots: readonly ModelLot[], amount: bigint, count: (lot: ModelLot, part: bigint) => void): void {
  let wanted = amount;
  for (const lot of lots) {
    const part = lot.left < wanted ? lot.left : wanted;
    lot.left -= part;
    wanted -= part;
    count(lot, part);
  }
  if (wanted > 0n) throw new Error(`the model lacks ${wanted} in lots`);
}

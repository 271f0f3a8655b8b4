/** A lot in the model. */
export interface ModelLot {
  id: string;
  account: string;
  /** The deposit whose refunds and disputes take it. */
  payment: string;
  kind: 'paid' | 'granted';
  createdAtMs: number;
  left: bigint;
  spent: bigint;
  taken: bigint;
}

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

  add(lot: Omit<ModelLot, 'spent' | 'taken'>): void {
    this.lots.push({ ...lot, spent: 0n, taken: 0n });
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

  figures(): string[] {
    return this.lots.map(
      ({ id, account, payment, kind, left, spent, taken }) =>
        `lot ${account} ${id} ${payment} ${kind} ${left} ${spent} ${taken}`,
    );
  }

  #of(account: string): ModelLot[] {
    const lots = this.lots.filter((lot) => lot.account === account);
    return lots.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  }
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

import type { ChargeSum } from '@tollgate/proto/ledger';

/** What was charged on a day for one bucket at one price. */
export interface LineSum {
  /** What decided the price, and for which key. */
  of: Omit<ChargeSum, 'chargedNanos' | 'lines'>;
  /** Empty: what the customer did not pay, because it exceeded what was held. */
  bucket: string;
  rateNanosPerMillion: bigint;
  /** Of the list price, where the account has one of its own and the reader may know; else undefined. */
  listRateNanosPerMillion?: bigint | undefined;
  quantity: bigint;
  /** Negative for what the customer did not pay. */
  amountNanos: bigint;
}

/** Of the texts of the sums: the memory of an export. */
const MAX_CHARACTERS = 4_000_000;

/**
 * Merges sums of some of a day's charges. Whoever adds takes them out once they are too many; the same bucket, price and key may
 * then be in two rows, whose sum stays right.
 */
export class DaySums {
  #sums = new Map<string, LineSum>();
  #characters = 0;
  readonly #maxCharacters: number;

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  get isFull(): boolean {
    return this.#characters >= this.#maxCharacters;
  }

  add({ chargedNanos, lines, ...of }: ChargeSum): void {
    const group = JSON.stringify(Object.values({ ...of, tags: JSON.stringify(of.tags) }));
    let unpaid = chargedNanos;
    for (const line of lines) {
      this.#addLine(group, { of, ...line });
      unpaid -= line.amountNanos;
    }
    if (unpaid !== 0n)
      this.#addLine(group, { of, bucket: '', rateNanosPerMillion: 0n, quantity: 0n, amountNanos: unpaid });
  }

  #addLine(group: string, line: LineSum): void {
    const key = `${line.bucket} ${line.rateNanosPerMillion} ${line.listRateNanosPerMillion ?? ''} ${group}`;
    const sum = this.#sums.get(key);
    if (sum === undefined) {
      this.#sums.set(key, { ...line });
      this.#characters += key.length;
      return;
    }
    sum.quantity += line.quantity;
    sum.amountNanos += line.amountNanos;
  }

  /** The sums so far, which are forgotten. */
  take(): LineSum[] {
    const sums = [...this.#sums.values()];
    this.#sums = new Map();
    this.#characters = 0;
    return sums;
  }
}

import { Refusal } from '@tollgate/common/errors';
import type { Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { type BatchBounds, nextBatchRows } from './batch-size.ts';
import type { SettlementPlan } from './plan-settlement.ts';
import { type SettlementRecord, settlementRecord } from './settlement-record.ts';

interface Waiting {
  records: SettlementRecord[];
  resolve: (outcomes: SettleOutcome[]) => void;
  reject: (error: unknown) => void;
}

/** One settlement transaction that was committed. */
export interface Settlement {
  records: readonly SettlementRecord[];
  plan: SettlementPlan;
  /** Begin and end of the commit, Unix milliseconds. */
  startedAt: number;
  endedAt: number;
}

export interface SettlerOptions {
  commit: (records: readonly SettlementRecord[]) => Promise<SettlementPlan>;
  /** Told of every commit before its batches are answered. Must not throw. */
  committed: (settlement: Settlement) => void;
  /** Transactions that may run at the same time. */
  lanes: number;
  /** What the records of one transaction are kept within; a single batch is never split. */
  rows: BatchBounds;
  now?: () => number;
}

/** Batches that may wait; each stream may only have a few of its own, so this is met with a great many streams. */
const MOST_WAITING_BATCHES = 1_000;

/** Gathers batches of all streams: while transactions run, what arrives forms the next one. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #now: () => number;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  /** Records that a transaction may have now. */
  #rows: number;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#rows = options.rows.leastRows;
  }

  /**
   * Settles one batch; resolves after its commit, with outcomes in its order.
   *
   * @throws Refusal when too many batches wait, or the error of a transaction that could not be committed
   */
  settle(charges: readonly Charge[]): Promise<SettleOutcome[]> {
    if (this.#waiting.length >= MOST_WAITING_BATCHES) {
      return Promise.reject(new Refusal('resource_exhausted', 'too many batches wait to be settled'));
    }
    const records = charges.map(settlementRecord);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, resolve, reject });
      this.#startLanes();
    });
  }

  #startLanes(): void {
    while (this.#running < this.#options.lanes && this.#waiting.length > 0) {
      const group = this.#takeGroup();
      this.#running++;
      const next = () => {
        this.#running--;
        this.#startLanes();
      };
      this.#commit(group).then(next, next);
    }
  }

  #takeGroup(): Waiting[] {
    let rows = 0;
    let count = 0;
    for (const batch of this.#waiting) {
      if (count > 0 && rows + batch.records.length > this.#rows) break;
      rows += batch.records.length;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(group: Waiting[]): Promise<void> {
    try {
      const records = group.flatMap((batch) => batch.records);
      const startedAt = this.#now();
      const plan = await this.#options.commit(records);
      const endedAt = this.#now();
      this.#rows = nextBatchRows(this.#rows, records.length, endedAt - startedAt, this.#options.rows);
      this.#options.committed({ records, plan, startedAt, endedAt });
      let from = 0;
      for (const batch of group) {
        batch.resolve(plan.outcomes.slice(from, from + batch.records.length));
        from += batch.records.length;
      }
    } catch (error) {
      for (const batch of group) batch.reject(error);
    }
  }
}

import { RpcError } from '@tollgate/common/errors';
import { type Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { type BatchBounds, nextBatchRows } from './batch-size.ts';
import type { SettlementPlan } from './plan-settlement.ts';
import { type SettlementRecord, settlementRecord } from './settlement-record.ts';

/** A batch of a stream whose records are not all settled. */
interface Batch {
  outcomes: SettleOutcome[];
  unsettled: number;
  /** None of its records is in a transaction yet. */
  isWaiting: boolean;
  resolve: (outcomes: SettleOutcome[]) => void;
  reject: (error: unknown) => void;
}

/** A record of a batch that waits for a transaction. */
interface Waiting {
  record: SettlementRecord;
  batch: Batch;
  /** Its index in the batch. */
  index: number;
}

/** A committed settlement transaction. */
export interface Settlement {
  records: readonly SettlementRecord[];
  plan: SettlementPlan;
  /** Start and end of the commit, Unix milliseconds. */
  startedAt: number;
  endedAt: number;
}

export interface SettlerOptions {
  commit: (records: readonly SettlementRecord[]) => Promise<SettlementPlan>;
  /** Called after every commit, before its batches get their outcomes. Must not throw. */
  onSettled: (settlement: Settlement) => void;
  /** Maximum concurrent transactions. */
  lanes: number;
  /** Bounds of the records of one transaction. */
  rows: BatchBounds;
  now?: () => number;
}

/** Maximum charges in one batch of a stream. */
export const MAX_BATCH = 1_000;

/** Maximum waiting batches. Each stream may have only a few, so this is reached with a great many streams. */
const MAX_WAITING_BATCHES = 1_000;

/**
 * Combines batches of all streams: charges that arrive while transactions run form the next one. If they fit into one
 * transaction, they go into one. Otherwise each lane takes its own accounts, because transactions of the same accounts
 * would only wait for each other's locks.
 */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #now: () => number;
  /** Waiting records, by the lane of their account. */
  readonly #queues: Waiting[][];
  readonly #isRunning: boolean[];
  #waitingRecords = 0;
  #waitingBatches = 0;
  /** Current maximum of records in a transaction. */
  #rows: number;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#queues = Array.from({ length: options.lanes }, () => []);
    this.#isRunning = Array.from({ length: options.lanes }, () => false);
    this.#rows = options.rows.minRows;
  }

  /**
   * Settles one batch; resolves after its commit, with outcomes in its order.
   *
   * @throws RpcError when too many batches wait, or the error of a transaction that could not be committed; other records of
   * the batch may be settled then
   */
  settle(charges: readonly Charge[]): Promise<SettleOutcome[]> {
    if (charges.length === 0) return Promise.resolve([]);
    if (this.#waitingBatches >= MAX_WAITING_BATCHES) {
      return Promise.reject(new RpcError('unavailable', 'too many batches are waiting to be settled'));
    }
    return new Promise((resolve, reject) => {
      const outcomes = charges.map(() => SettleOutcome.UNSPECIFIED);
      const batch: Batch = { outcomes, unsettled: charges.length, isWaiting: true, resolve, reject };
      for (const [index, charge] of charges.entries()) {
        const record = settlementRecord(charge);
        this.#queues[laneOf(record.charge.accountId, this.#queues.length)]?.push({ record, batch, index });
      }
      this.#waitingRecords += charges.length;
      this.#waitingBatches++;
      this.#startLanes();
    });
  }

  #startLanes(): void {
    for (const [lane, isRunning] of this.#isRunning.entries()) {
      if (isRunning) continue;
      const taken = this.#take(lane);
      if (taken.length === 0) continue;
      this.#isRunning[lane] = true;
      const next = () => {
        this.#isRunning[lane] = false;
        this.#startLanes();
      };
      this.#commit(taken).then(next, next);
    }
  }

  /** The records of a lane's next transaction: all waiting ones if they fit, otherwise those of the lane. */
  #take(lane: number): Waiting[] {
    const isLittle = this.#waitingRecords <= this.#options.rows.minRows;
    const taken = isLittle
      ? this.#queues.flatMap((queue) => queue.splice(0))
      : (this.#queues[lane]?.splice(0, this.#rows) ?? []);
    this.#waitingRecords -= taken.length;
    for (const { batch } of taken) {
      if (batch.isWaiting) this.#waitingBatches--;
      batch.isWaiting = false;
    }
    return taken;
  }

  async #commit(taken: readonly Waiting[]): Promise<void> {
    try {
      const records = taken.map(({ record }) => record);
      const startedAt = this.#now();
      const plan = await this.#options.commit(records);
      const endedAt = this.#now();
      this.#rows = nextBatchRows(this.#rows, records.length, endedAt - startedAt, this.#options.rows);
      this.#options.onSettled({ records, plan, startedAt, endedAt });
      for (const [position, { batch, index }] of taken.entries()) {
        batch.outcomes[index] = plan.outcomes[position] ?? SettleOutcome.UNSPECIFIED;
        batch.unsettled--;
        if (batch.unsettled === 0) batch.resolve(batch.outcomes);
      }
    } catch (error) {
      for (const { batch } of taken) batch.reject(error);
    }
  }
}

/** The lane of an account. The last digits of a well-formed id are random; for a malformed one any lane will do. */
function laneOf(accountId: string, lanes: number): number {
  let sum = 0;
  for (const character of accountId.slice(-4)) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % lanes;
}

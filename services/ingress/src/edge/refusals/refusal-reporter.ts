import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import type { RecordRefusalsRequest, Refusal, RefusalCount } from '@tollgate/proto/ledger';

/** What the ledger accepts in one call: about 2 MB at most. */
const MAX_REFUSALS = 1_000;
/** Of one account, so that one that keeps sending leaves room for the others. */
const MAX_PER_ACCOUNT = 100;
/** Pairs of account and reason whose dropped refusals are counted. */
const MAX_DROPPED_PAIRS = 1_000;
const INTERVAL_MS = 1_000;

export interface RefusalMetrics {
  refusal(reason: RefusalReason): void;
  /** One that is not sent to the ledger. */
  droppedRefusal(reason: string): void;
}

export interface RefusalReporterOptions {
  /** Sends a batch to the ledger, within a time limit; rejects when that failed. */
  send: (request: RecordRefusalsRequest) => Promise<unknown>;
  metrics: RefusalMetrics;
  logger: Logger;
  intervalMs?: number;
}

/**
 * Reports refused requests to the ledger, in batches and best effort, so that people can find out why. No request waits for
 * that, and memory is bounded however many are refused: what has no room, or fails twice, is only counted, and the counts go
 * out with a later batch.
 */
export class RefusalReporter {
  readonly #options: RefusalReporterOptions;
  readonly #dropped = new RefusalCounts(MAX_DROPPED_PAIRS);
  #refusals: Refusal[] = [];
  /** How many of them each account has. */
  #perAccount = new Map<string, number>();
  #unknownKeys = 0;
  /** A batch that failed once. */
  #failed: RecordRefusalsRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isFailing = false;
  #stopped = false;

  constructor(options: RefusalReporterOptions) {
    this.#options = options;
  }

  /**
   * Reports one refused request.
   *
   * @param describe called only if there is room
   */
  record(accountId: string, reason: RefusalReason, describe: () => Refusal): void {
    this.#options.metrics.refusal(reason);
    const ofAccount = this.#perAccount.get(accountId) ?? 0;
    if (this.#stopped || ofAccount >= MAX_PER_ACCOUNT || this.#refusals.length >= MAX_REFUSALS) {
      this.#drop(accountId, reason);
    } else {
      this.#perAccount.set(accountId, ofAccount + 1);
      this.#refusals.push(describe());
    }
    this.#schedule();
  }

  /** Counts a request whose key does not exist. */
  countUnknownKey(): void {
    this.#unknownKeys += 1;
    this.#schedule();
  }

  /** Reports what is left, once, and nothing afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    // A batch in progress was taken before the last refusals.
    await this.#sending;
    await this.#report();
  }

  #drop(accountId: string, reason: string): void {
    this.#options.metrics.droppedRefusal(reason);
    this.#dropped.add(accountId, reason, 1);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = setTimeout(async () => {
      this.#sending = this.#report();
      await this.#sending;
      this.#timer = undefined;
      if (!this.#isEmpty) this.#schedule();
    }, this.#options.intervalMs ?? INTERVAL_MS);
    this.#timer.unref();
  }

  get #isEmpty(): boolean {
    const { size } = this.#dropped;
    return this.#failed === undefined && this.#refusals.length + size + this.#unknownKeys === 0;
  }

  async #report(): Promise<void> {
    if (this.#isEmpty) return;
    const earlier = this.#failed;
    this.#failed = undefined;
    const batch = earlier ?? this.#take();
    try {
      await this.#options.send(batch);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#options.logger.warn({ reason: messageOf(error) }, 'refused requests could not be reported to the ledger');
      this.#isFailing = true;
      if (earlier === undefined) this.#failed = batch;
      else this.#countOnly(batch);
    }
  }

  #take(): RecordRefusalsRequest {
    const batch = {
      refusals: this.#refusals,
      dropped: this.#dropped.take(),
      unknownKeys: BigInt(this.#unknownKeys),
    };
    this.#refusals = [];
    this.#perAccount = new Map();
    this.#unknownKeys = 0;
    return batch;
  }

  /** Gives up the refusals of a batch, but keeps their number for the next one. */
  #countOnly({ refusals, dropped, unknownKeys }: RecordRefusalsRequest): void {
    for (const { accountId, reason } of refusals) this.#drop(accountId, reason);
    for (const { accountId, reason, count } of dropped) this.#dropped.add(accountId, reason, Number(count));
    this.#unknownKeys += Number(unknownKeys);
  }
}

/** Counts refusals by account and reason, for a limited number of these pairs; others are not counted. */
class RefusalCounts {
  readonly #maxPairs: number;
  readonly #counts = new Map<string, { accountId: string; reason: string; count: number }>();

  constructor(maxPairs: number) {
    this.#maxPairs = maxPairs;
  }

  get size(): number {
    return this.#counts.size;
  }

  add(accountId: string, reason: RefusalReason | string, count: number): void {
    const pair = `${accountId} ${reason}`;
    const known = this.#counts.get(pair);
    if (known !== undefined) known.count += count;
    else if (this.#counts.size < this.#maxPairs) this.#counts.set(pair, { accountId, reason, count });
  }

  /** Returns the counts and starts anew. */
  take(): RefusalCount[] {
    const taken = Array.from(this.#counts.values(), ({ count, ...pair }) => ({ ...pair, count: BigInt(count) }));
    this.#counts.clear();
    return taken;
  }
}

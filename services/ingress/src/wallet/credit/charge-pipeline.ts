import type { Clock } from '@tollgate/common/clock';
import type { Logger } from '@tollgate/common/logging';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import { Journal, type JournalStats } from '../journal/journal.ts';
import { Replay } from './replay.ts';
import { type SettleCounts, SettleSender } from './settle-sender.ts';
import type { CreditLimits } from './types.ts';
import type { UnsettledCharge } from './unsettled-charge.ts';

export interface ChargePipelineOptions {
  ledger: LedgerServiceClient;
  journalDir: string;
  journalMaxBytes: number;
  limits: CreditLimits;
  logger: Logger;
  clock: Clock;
  /** A session of an earlier run has no charges left to settle. */
  sessionReplayed: (sessionId: string) => void;
}

/** Charges that the ledger has not acknowledged; those in segments of earlier runs count once they are read. */
export interface SettlementLag {
  unsettled: number;
  /** How long the oldest has waited; 0 without any. */
  oldestMs: number;
}

/** Figures of the pipeline; the journal's are undefined until it is open. */
export interface ChargePipelineStats extends SettleCounts {
  journal: JournalStats | undefined;
  unsettled: number;
  unwritten: number;
}

/**
 * Carries charges to the ledger: appends each to the journal, sends it in the background until the ledger acknowledges
 * it, and replays what earlier runs left in the journal.
 */
export class ChargePipeline {
  readonly #options: ChargePipelineOptions;
  readonly #sender: SettleSender;
  #journal: Journal | undefined;
  #replay: Replay | undefined;
  #unwritten = 0;
  #stopped = false;

  constructor(options: ChargePipelineOptions) {
    this.#options = options;
    const { ledger, logger, clock } = options;
    this.#sender = new SettleSender({ client: ledger, logger, clock });
  }

  /** Whether the journal is open, even if it cannot be written now. */
  get isOpen(): boolean {
    return this.#journal !== undefined;
  }

  get isHealthy(): boolean {
    return this.#journal?.healthy === true;
  }

  /** After this, charges are lost. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Whether every record, of earlier runs too, is acknowledged. */
  get isSettled(): boolean {
    const { records, unread } = this.#journal?.stats() ?? { records: 0, unread: 0 };
    const { unsettled } = this.#sender;
    return unsettled + records + unread === 0 && this.#replay?.running !== true;
  }

  /**
   * Opens the journal for a session and begins to replay it.
   *
   * @param isCancelled checked once the journal is open, which is then closed again
   * @returns whether the journal stays open
   * @throws what `Journal.open` throws
   */
  async open(sessionId: string, isCancelled: () => boolean): Promise<boolean> {
    const { journalDir, journalMaxBytes, limits, logger, clock, sessionReplayed } = this.#options;
    const journal = await Journal.open({
      folder: journalDir,
      maxBytes: journalMaxBytes,
      maxRecords: limits.journalMaxRecords,
      keepMs: limits.journalKeepMs,
      logger,
      clock,
    });
    await journal.begin(sessionId);
    if (isCancelled()) {
      await journal.close();
      return false;
    }
    this.#journal = journal;
    this.#replay = new Replay({ journal, sender: this.#sender, logger, sessionReplayed });
    this.#replay.run().catch((error: unknown) => {
      logger.error({ err: error }, 'the journal cannot be replayed');
    });
    return true;
  }

  /** Records a session in the journal before it is opened. */
  async recordSession(sessionId: string): Promise<void> {
    await this.#journal?.begin(sessionId);
  }

  /** Reserves room for one charge; false when there is none, or the journal cannot be written. */
  reserve(): boolean {
    return this.#journal?.reserve() === true;
  }

  /** Releases room that was reserved and not used. */
  releaseReservation(): void {
    this.#journal?.release();
  }

  /** Appends a charge, using reserved room, and sends it. Resolves once it is written, or the write has failed. */
  append(frame: Uint8Array, charge: UnsettledCharge): Promise<void> {
    return new Promise((written) => {
      this.#journal?.append(frame, (segment) => {
        charge.segment = segment;
        if (segment === undefined) this.#unwritten += 1;
        this.#sender.send(charge);
        written();
      });
    });
  }

  /** Sends charges that wait to be sent together: something waits for one of them. */
  sendNow(): void {
    this.#sender.sendNow();
  }

  /** Frees what the charge takes up here, after the ledger has acknowledged it. */
  acknowledge(charge: UnsettledCharge): void {
    this.#journal?.acknowledge(charge.segment);
    if (charge.segment === undefined) this.#unwritten -= 1;
  }

  /** Settles everything that the journal still keeps once more. Resolves when all of it is acknowledged. */
  async settleAgain(): Promise<void> {
    await this.#journal?.replayKept();
    await this.#replay?.run();
  }

  /** Resends what is overdue and removes what was kept long enough. Call it periodically. */
  sweep(): void {
    this.#sender.checkProgress();
    this.#journal?.sweep();
  }

  stopReplay(): void {
    this.#replay?.stop();
  }

  /** Sends nothing more, and closes the journal. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#sender.stop();
    await this.#journal?.close();
  }

  /** How far the ledger is behind. */
  settlement(): SettlementLag {
    const since = this.#sender.pendingSinceMs;
    const oldestMs = since === undefined ? 0 : Math.max(0, this.#options.clock.wallMs() - since);
    return { unsettled: this.#sender.unsettled, oldestMs };
  }

  stats(): ChargePipelineStats {
    return {
      journal: this.#journal?.stats(),
      unsettled: this.#sender.unsettled,
      unwritten: this.#unwritten,
      ...this.#sender.counts,
    };
  }
}

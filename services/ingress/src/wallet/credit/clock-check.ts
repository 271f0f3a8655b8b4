import type { Clock, Instant } from '@tollgate/common/clock';
import type { Logger } from '@tollgate/common/logging';

/**
 * Maximum difference between this process's clock and the ledger's database's. Request ids carry this clock's time, and
 * the ledger quarantines charges whose id is ten minutes ahead: a tenth of that leaves time to notice.
 */
export const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Compares this process's clock with the database's, which the ledger reports in its responses. */
export class ClockCheck {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #aheadMs = 0;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** How far this clock is ahead of the database's (negative: behind); 0 while the round trip may explain it. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Whether the difference is too large for holds to be made. */
  get differs(): boolean {
    return Math.abs(this.#aheadMs) > MAX_CLOCK_DIFFERENCE_MS;
  }

  /**
   * Compares the clocks by a response that was just received to a message sent at `sentAt`. The database's time (0: none)
   * was read somewhere in between, so only a difference beyond both ends counts.
   */
  compare(sentAt: Instant, databaseTimeMs: bigint): void {
    if (databaseTimeMs === 0n) return;
    const differed = this.differs;
    const latest = this.#clock.wallMs();
    const tookMs = Math.max(0, this.#clock.monotonicMs() - sentAt.monotonicMs);
    const earliest = Math.min(sentAt.wallMs, latest - tookMs);
    const databaseMs = Number(databaseTimeMs);
    this.#aheadMs = Math.round(Math.max(0, earliest - databaseMs) - Math.max(0, databaseMs - latest));
    if (this.differs === differed) return;
    const fields = { ahead_ms: this.#aheadMs, limit_ms: MAX_CLOCK_DIFFERENCE_MS };
    if (this.differs)
      this.#logger.error(fields, "this clock differs from the database's: no holds are made until it is corrected");
    else this.#logger.info(fields, "this clock agrees with the database's again");
  }

  /** Describes a wrong clock; undefined if it is right. */
  problem(): string | undefined {
    if (!this.differs) return undefined;
    const seconds = Math.round(Math.abs(this.#aheadMs) / 1_000);
    const direction = this.#aheadMs > 0 ? 'ahead of' : 'behind';
    return `the clock is ${seconds} s ${direction} the database's, more than ${MAX_CLOCK_DIFFERENCE_MS / 1_000} s`;
  }
}

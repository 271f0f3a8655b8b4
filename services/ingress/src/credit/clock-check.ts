import type { Logger } from '@tollgate/common/logging';
import type { Clock, Instant } from '../journal/clock.ts';

/**
 * How far this process's clock may be from that of the ledger's database. Request ids carry this clock's time, and the
 * ledger quarantines charges whose id is ten minutes ahead: a tenth of that leaves time to notice.
 */
export const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Compares this process's clock with the database's, as the ledger's answers report it. */
export class ClockCheck {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #aheadMs = 0;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** How far this clock is ahead of the database's, below 0 behind it; 0 while the round trip may explain the difference. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Whether the difference is too large for holds to be made. */
  get differs(): boolean {
    return Math.abs(this.#aheadMs) > MAX_CLOCK_DIFFERENCE_MS;
  }

  /**
   * Takes the database's time out of the answer, just received, to a message sent at `sentAt`; 0 is none. The time was
   * read somewhere between the two, so only what lies outside of both counts.
   */
  compare(sentAt: Instant, databaseTimeMs: bigint): void {
    if (databaseTimeMs === 0n) return;
    const differed = this.differs;
    const latest = this.#clock.wallMs();
    const tookMs = Math.max(0, this.#clock.monotonicMs() - sentAt.monotonicMs);
    const earliest = Math.min(sentAt.wallMs, latest - tookMs);
    const then = Number(databaseTimeMs);
    this.#aheadMs = Math.round(Math.max(0, earliest - then) - Math.max(0, then - latest));
    if (this.differs === differed) return;
    const fields = { ahead_ms: this.#aheadMs, limit_ms: MAX_CLOCK_DIFFERENCE_MS };
    if (this.differs)
      this.#logger.error(fields, "this clock differs from the database's: no hold is made until it is right");
    else this.#logger.info(fields, "this clock agrees with the database's again");
  }

  /** What is wrong with the clock, in words; undefined when nothing is. */
  problem(): string | undefined {
    if (!this.differs) return undefined;
    const seconds = Math.round(Math.abs(this.#aheadMs) / 1_000);
    const direction = this.#aheadMs > 0 ? 'ahead of' : 'behind';
    return `the clock is ${seconds} s ${direction} the database's, more than ${MAX_CLOCK_DIFFERENCE_MS / 1_000} s`;
  }
}

import type { Segment } from '../journal/segment.ts';
import type { AccountCredit } from './account-credit.ts';
import type { CapCredit } from './caps/cap-credit.ts';
import type { UnsettledRecord } from './settle-sender.ts';

/** A charge until the ledger has acknowledged it. Many may be kept for long, so it holds no more than it needs. */
export class UnsettledCharge implements UnsettledRecord {
  readonly payload: Uint8Array;
  readonly account: AccountCredit;
  /** The caps it was held under. */
  readonly caps: readonly CapCredit[];
  readonly chargedNanos: bigint;
  segment: Segment | undefined;
  /** Somebody waits for the acknowledgement. */
  acknowledged: (() => void) | undefined;
  readonly #settled: (charge: UnsettledCharge, disputed: boolean) => void;

  constructor(
    payload: Uint8Array,
    { account, caps }: { account: AccountCredit; caps: readonly CapCredit[] },
    chargedNanos: bigint,
    settled: (charge: UnsettledCharge, disputed: boolean) => void,
  ) {
    this.payload = payload;
    this.account = account;
    this.caps = caps;
    this.chargedNanos = chargedNanos;
    this.#settled = settled;
  }

  get urgent(): boolean {
    return this.acknowledged !== undefined;
  }

  settled(disputed: boolean): void {
    this.#settled(this, disputed);
  }

  /** Resolves when it is acknowledged, or after the time given. To be asked for before it is sent. */
  settledWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.acknowledged = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

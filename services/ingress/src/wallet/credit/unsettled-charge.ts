import type { Segment } from '../journal/segment.ts';
import type { AccountCredit } from './account-credit.ts';
import type { CapCredit } from './cap-credit.ts';
import type { OpenHold } from './open-hold.ts';
import type { UnsettledRecord } from './settle-sender.ts';

/** A charge that the ledger has not acknowledged. Many may be kept for long, so it holds only what it needs. */
export class UnsettledCharge implements UnsettledRecord {
  readonly payload: Uint8Array;
  readonly account: AccountCredit<OpenHold>;
  /** The caps that it counts against. */
  readonly caps: readonly CapCredit[];
  readonly chargedNanos: bigint;
  readonly pendingSinceMs: number;
  segment: Segment | undefined;
  /** Called on the acknowledgement, where something waits for it. */
  onAcknowledged: (() => void) | undefined;
  readonly #settled: (charge: UnsettledCharge, disputed: boolean) => void;

  constructor(
    payload: Uint8Array,
    { account, caps }: { account: AccountCredit<OpenHold>; caps: readonly CapCredit[] },
    { chargedNanos, pendingSinceMs }: { chargedNanos: bigint; pendingSinceMs: number },
    settled: (charge: UnsettledCharge, disputed: boolean) => void,
  ) {
    this.payload = payload;
    this.account = account;
    this.caps = caps;
    this.chargedNanos = chargedNanos;
    this.pendingSinceMs = pendingSinceMs;
    this.#settled = settled;
  }

  get urgent(): boolean {
    return this.onAcknowledged !== undefined;
  }

  settled(disputed: boolean): void {
    this.#settled(this, disputed);
  }

  /** Resolves when it is acknowledged, or after a timeout. Call it before the charge is sent. */
  waitUntilSettled(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.onAcknowledged = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

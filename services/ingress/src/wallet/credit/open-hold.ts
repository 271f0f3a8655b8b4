import { CAP_PERIOD_OF_LABEL } from '@tollgate/common/cap-periods';
import type { CapPeriod } from '@tollgate/proto/ledger';
import { type CapStatus, freeShare } from '../../shared/limits/ceilings.ts';
import type { AccountCredit } from './account-credit.ts';
import type { Lease } from './lease.ts';
import type { CaptureOptions, ChargeRecord, Hold } from './types.ts';

/** Is notified when a hold ends. */
export interface HoldListener {
  capture(hold: OpenHold, record: ChargeRecord, options: CaptureOptions): Promise<void>;
  release(hold: OpenHold): void;
}

/** Credit held for one open request; ends once. */
export class OpenHold implements Hold {
  readonly nanos: bigint;
  readonly account: AccountCredit;
  /** What it is held under, each with the full amount. */
  readonly leases: readonly Lease[];
  readonly #listener: HoldListener;
  #ended = false;

  constructor(account: AccountCredit, leases: readonly Lease[], nanos: bigint, ending: HoldListener) {
    this.nanos = nanos;
    this.account = account;
    this.leases = leases;
    this.#listener = ending;
  }

  get sessionId(): string {
    return this.account.session.id;
  }

  capsOf(nodeId: string): CapPeriod[] {
    return this.leases.flatMap(({ ceiling }) =>
      ceiling === undefined || ceiling.nodeId !== nodeId ? [] : CAP_PERIOD_OF_LABEL[ceiling.period],
    );
  }

  nearestCap(counts: (nodeId: string) => boolean): CapStatus | undefined {
    let nearest: CapStatus | undefined;
    // The balance is first, and most requests have nothing else.
    for (let at = 1; at < this.leases.length; at += 1) {
      const status = this.leases[at]?.status;
      if (status === undefined || status.window === null || !counts(status.nodeId)) continue;
      if (nearest === undefined || freeShare(status) < freeShare(nearest)) nearest = status;
    }
    return nearest;
  }

  capture(record: ChargeRecord, options: CaptureOptions = {}): Promise<void> {
    if (this.#ended) throw new Error('a hold can only be captured once, and not after its release');
    this.#ended = true;
    return this.#listener.capture(this, record, options);
  }

  release(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.release(this);
  }
}

import type { CapPeriod } from '@tollgate/proto/ledger';
import { type CapStatus, freeShare } from '../../shared/limits/ceilings.ts';
import type { AccountCredit } from './account-credit.ts';
import type { Lease } from './lease.ts';
import type { Path } from './path.ts';
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
  readonly #path: Path;
  readonly #listener: HoldListener;
  #ended = false;

  constructor(account: AccountCredit, path: Path, nanos: bigint, ending: HoldListener) {
    this.nanos = nanos;
    this.account = account;
    this.#path = path;
    this.#listener = ending;
  }

  get sessionId(): string {
    return this.account.session.id;
  }

  /** What it is held under, each with the full amount. */
  get leases(): readonly Lease[] {
    return this.#path.leases;
  }

  capsOf(nodeId: string): readonly CapPeriod[] {
    return this.#path.periodsOf(nodeId);
  }

  nearestCap(counts: (nodeId: string) => boolean): CapStatus | undefined {
    let nearest: CapStatus | undefined;
    let least = Number.POSITIVE_INFINITY;
    // The balance is first, and most requests have nothing else.
    for (let at = 1; at < this.leases.length; at += 1) {
      const status = this.leases[at]?.status;
      if (status === undefined || status.window === null) continue;
      const share = freeShare(status);
      if (share >= least || !counts(status.nodeId)) continue;
      nearest = status;
      least = share;
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

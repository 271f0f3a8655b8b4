import { CAP_PERIOD_OF_LABEL } from '@tollgate/common/cap-periods';
import type { CapPeriod } from '@tollgate/proto/ledger';
import type { AccountCredit } from './account-credit.ts';
import type { CapCredit } from './cap-credit.ts';
import type { CaptureOptions, ChargeRecord, Hold } from './types.ts';

/** Is notified when a hold ends. */
export interface HoldListener {
  capture(hold: OpenHold, record: ChargeRecord, options: CaptureOptions): Promise<void>;
  release(hold: OpenHold): void;
}

const NO_CAPS: readonly CapCredit[] = [];

/** Credit held for one open request; ends once. */
export class OpenHold implements Hold {
  readonly nanos: bigint;
  readonly account: AccountCredit<OpenHold>;
  readonly #listener: HoldListener;
  #caps = NO_CAPS;
  #ended = false;

  constructor(account: AccountCredit<OpenHold>, nanos: bigint, ending: HoldListener) {
    this.nanos = nanos;
    this.account = account;
    this.#listener = ending;
  }

  get sessionId(): string {
    return this.account.session.id;
  }

  /** The caps that the hold counts against, each with the full amount. */
  get caps(): readonly CapCredit[] {
    return this.#caps;
  }

  get capPeriods(): CapPeriod[] {
    return this.#caps.map(({ cap }) => CAP_PERIOD_OF_LABEL[cap.period]);
  }

  /** Attaches the holds on caps for the same request, each of the same amount. */
  attachCaps(caps: readonly CapCredit[]): void {
    this.#caps = caps;
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

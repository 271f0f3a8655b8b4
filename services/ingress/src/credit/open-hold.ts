import { CAP_PERIOD_OF_LABEL } from '@tollgate/common/cap-periods';
import type { CapPeriod } from '@tollgate/proto/ledger';
import type { AccountCredit } from './account-credit.ts';
import type { CapCredit } from './caps/cap-credit.ts';
import type { ChargeOptions, ChargeRecord, Hold } from './types.ts';

/** What a hold tells when it ends. */
export interface HoldEnding {
  charged(hold: OpenHold, record: ChargeRecord, options: ChargeOptions): Promise<void>;
  released(hold: OpenHold): void;
}

const NO_CAPS: readonly CapCredit[] = [];

/** Credit held for one open request; ends once. */
export class OpenHold implements Hold {
  readonly nanos: bigint;
  readonly account: AccountCredit;
  readonly #ending: HoldEnding;
  #caps = NO_CAPS;
  #ended = false;

  constructor(account: AccountCredit, nanos: bigint, ending: HoldEnding) {
    this.nanos = nanos;
    this.account = account;
    this.#ending = ending;
  }

  get sessionId(): string {
    return this.account.session.id;
  }

  /** The caps of which as much is held as of the account. */
  get caps(): readonly CapCredit[] {
    return this.#caps;
  }

  get capPeriods(): CapPeriod[] {
    return this.#caps.map(({ cap }) => CAP_PERIOD_OF_LABEL[cap.period]);
  }

  /** Takes over what was taken of caps for the same request, as much of each as is held. */
  under(caps: readonly CapCredit[]): void {
    this.#caps = caps;
  }

  charge(record: ChargeRecord, options: ChargeOptions = {}): Promise<void> {
    if (this.#ended) throw new Error('a hold is charged once, and not after its release');
    this.#ended = true;
    return this.#ending.charged(this, record, options);
  }

  release(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ending.released(this);
  }
}

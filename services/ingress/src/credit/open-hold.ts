import type { AccountCredit } from './account-credit.ts';
import type { ChargeOptions, ChargeRecord, Hold } from './types.ts';

/** What a hold tells when it ends. */
export interface HoldEnding {
  charged(account: AccountCredit, holdNanos: bigint, record: ChargeRecord, options: ChargeOptions): Promise<void>;
  released(account: AccountCredit, holdNanos: bigint): void;
}

/** Credit held for one open request; ends once. */
export class OpenHold implements Hold {
  readonly nanos: bigint;
  readonly #account: AccountCredit;
  readonly #ending: HoldEnding;
  #ended = false;

  constructor(account: AccountCredit, nanos: bigint, ending: HoldEnding) {
    this.nanos = nanos;
    this.#account = account;
    this.#ending = ending;
  }

  get sessionId(): string {
    return this.#account.session.id;
  }

  charge(record: ChargeRecord, options: ChargeOptions = {}): Promise<void> {
    if (this.#ended) throw new Error('a hold is charged once, and not after its release');
    this.#ended = true;
    return this.#ending.charged(this.#account, this.nanos, record, options);
  }

  release(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ending.released(this.#account, this.nanos);
  }
}

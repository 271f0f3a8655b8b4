import { Counts } from '@tollgate/common/counts';
import type { CapacityReason } from '../../shared/errors/capacity.ts';

/**
 * Limits the open requests of this process, in total and for each account, so that one account cannot take all
 * capacity.
 */
export class OpenRequests {
  readonly #max: number;
  readonly #maxPerAccount: number;
  readonly #ofAccount = new Counts();
  #total = 0;

  constructor(max: number, maxPerAccount: number) {
    this.#max = max;
    this.#maxPerAccount = maxPerAccount;
  }

  get total(): number {
    return this.#total;
  }

  /** Counts a request, to be followed by one `leave`; returns the reason if there is no capacity. */
  enter(accountId: string): CapacityReason | undefined {
    // The account's own limit comes first: its owner can act on it.
    if (this.#ofAccount.of(accountId) >= this.#maxPerAccount) return 'account_full';
    if (this.#total >= this.#max) return 'process_full';
    this.#ofAccount.add(accountId);
    this.#total += 1;
    return undefined;
  }

  leave(accountId: string): void {
    this.#ofAccount.remove(accountId);
    this.#total -= 1;
  }
}

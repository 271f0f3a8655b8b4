/** Why one more request is not admitted. */
export type AtCapacity = 'account_full' | 'process_full';

/**
 * Bounds the requests under way in this process, in all and for each account, so that the flood of one account leaves room
 * for the others.
 */
export class OpenRequests {
  readonly #most: number;
  readonly #mostPerAccount: number;
  readonly #ofAccount = new Map<string, number>();
  #total = 0;

  constructor(most: number, mostPerAccount: number) {
    this.#most = most;
    this.#mostPerAccount = mostPerAccount;
  }

  get total(): number {
    return this.#total;
  }

  /** Counts one more; undefined when it was counted, to be followed by one `leave`. */
  enter(accountId: string): AtCapacity | undefined {
    const open = this.#ofAccount.get(accountId) ?? 0;
    // The account's own bound is told first: it is what its owner can do something about.
    if (open >= this.#mostPerAccount) return 'account_full';
    if (this.#total >= this.#most) return 'process_full';
    this.#ofAccount.set(accountId, open + 1);
    this.#total += 1;
    return undefined;
  }

  leave(accountId: string): void {
    const open = this.#ofAccount.get(accountId) ?? 0;
    if (open > 1) this.#ofAccount.set(accountId, open - 1);
    else this.#ofAccount.delete(accountId);
    this.#total -= 1;
  }
}

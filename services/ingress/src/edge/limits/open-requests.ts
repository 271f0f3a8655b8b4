import { Counts } from '@tollgate/common/counts';
import type { OpenCount } from '@tollgate/common/limits/index';
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

interface Entry {
  accountTag: string;
  scope: string;
  /** Open requests that were accepted. */
  accepted: number;
  /** Requests that wait for the decision. */
  pending: number;
}

/**
 * The open requests of this process in each scope that limits them. Absolute counts are published to the other
 * processes, not changes, so that a later message makes up for a lost one. They include pending requests: for a moment
 * they are too high rather than too low.
 */
export class OpenCounts {
  readonly #entries = new Map<string, Entry>();

  /** Open requests of a scope that were accepted. */
  accepted(accountTag: string, scope: string): number {
    return this.#entries.get(nameOf(accountTag, scope))?.accepted ?? 0;
  }

  /** Counts a pending request; one `accept` or `reject` follows. Returns the count to publish. */
  reserve(accountTag: string, scope: string): number {
    const name = nameOf(accountTag, scope);
    const entry = this.#entries.get(name) ?? { accountTag, scope, accepted: 0, pending: 0 };
    entry.pending += 1;
    this.#entries.set(name, entry);
    return countOf(entry);
  }

  accept(accountTag: string, scope: string): void {
    this.#change(accountTag, scope, (entry) => {
      entry.pending -= 1;
      entry.accepted += 1;
    });
  }

  reject(accountTag: string, scope: string): void {
    this.#change(accountTag, scope, (entry) => {
      entry.pending -= 1;
    });
  }

  /** Ends an accepted request. Returns the count to publish. */
  release(accountTag: string, scope: string): number {
    return this.#change(accountTag, scope, (entry) => {
      entry.accepted -= 1;
    });
  }

  /** All counts above 0. */
  *all(): Iterable<OpenCount & { accountTag: string }> {
    for (const entry of this.#entries.values())
      yield { accountTag: entry.accountTag, scope: entry.scope, count: countOf(entry) };
  }

  #change(accountTag: string, scope: string, change: (entry: Entry) => void): number {
    const name = nameOf(accountTag, scope);
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new Error(`no request is open in ${scope}`);
    change(entry);
    const count = countOf(entry);
    if (count === 0) this.#entries.delete(name);
    return count;
  }
}

function countOf({ accepted, pending }: Entry): number {
  return accepted + pending;
}

function nameOf(accountTag: string, scope: string): string {
  return `${accountTag}:${scope}`;
}

import type { OpenCount } from '@tollgate/common/limits/index';

interface Entry {
  accountTag: string;
  scope: string;
  /** Requests that were accepted and are under way. */
  accepted: number;
  /** Requests that wait to hear whether they are. */
  asking: number;
}

/**
 * How many requests this process has open in each scope whose open requests are limited. The counts are told to the other
 * processes as they stand, and not by what changed, so that lost words are made up for by later ones. They include the
 * requests that wait for an answer: too many are told for a moment rather than too few.
 */
export class OpenCounts {
  readonly #entries = new Map<string, Entry>();

  /** Requests of a scope that were accepted and are under way. */
  accepted(accountTag: string, scope: string): number {
    return this.#entries.get(nameOf(accountTag, scope))?.accepted ?? 0;
  }

  /** Counts a request that asks to be accepted: followed by one `accept` or `refuse`. Returns the count to tell. */
  reserve(accountTag: string, scope: string): number {
    const name = nameOf(accountTag, scope);
    const entry = this.#entries.get(name) ?? { accountTag, scope, accepted: 0, asking: 0 };
    entry.asking += 1;
    this.#entries.set(name, entry);
    return countOf(entry);
  }

  accept(accountTag: string, scope: string): void {
    this.#change(accountTag, scope, (entry) => {
      entry.asking -= 1;
      entry.accepted += 1;
    });
  }

  reject(accountTag: string, scope: string): void {
    this.#change(accountTag, scope, (entry) => {
      entry.asking -= 1;
    });
  }

  /** Ends a request that was accepted. Returns the count to tell. */
  release(accountTag: string, scope: string): number {
    return this.#change(accountTag, scope, (entry) => {
      entry.accepted -= 1;
    });
  }

  /** All counts above 0, to be told again. */
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

function countOf({ accepted, asking }: Entry): number {
  return accepted + asking;
}

function nameOf(accountTag: string, scope: string): string {
  return `${accountTag}:${scope}`;
}

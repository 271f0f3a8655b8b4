import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import type { RefusalCount } from '@tollgate/proto/ledger';

/** Counts refusals by account and reason, for a limited number of these pairs; others are not counted. */
export class RefusalCounts {
  readonly #maxPairs: number;
  readonly #counts = new Map<string, { accountId: string; reason: string; count: number }>();

  constructor(maxPairs: number) {
    this.#maxPairs = maxPairs;
  }

  get size(): number {
    return this.#counts.size;
  }

  add(accountId: string, reason: RefusalReason | string, count: number): void {
    const pair = `${accountId} ${reason}`;
    const known = this.#counts.get(pair);
    if (known !== undefined) known.count += count;
    else if (this.#counts.size < this.#maxPairs) this.#counts.set(pair, { accountId, reason, count });
  }

  /** Returns the counts and starts anew. */
  take(): RefusalCount[] {
    const taken = Array.from(this.#counts.values(), ({ count, ...pair }) => ({ ...pair, count: BigInt(count) }));
    this.#counts.clear();
    return taken;
  }
}

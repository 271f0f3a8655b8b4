import type { Posting } from './plan-settlement.ts';
import { bucketIndex, USAGE_BUCKETS } from './usage-buckets.ts';

/** What a batch adds to one row of a roll-up. */
export interface UsageSum {
  accountId: string;
  /** Begin of the interval, Unix milliseconds. */
  startMs: number;
  keyId: string;
  model: string;
  requests: number;
  chargedNanos: bigint;
  costNanos: bigint;
  /** In the order of USAGE_BUCKETS. */
  quantities: bigint[];
}

/** Sums charges by account, interval of their start, key and model. Intervals of `intervalMs` divide Unix time evenly. */
export function sumUsage(postings: readonly Posting[], intervalMs: number): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const { record, chargedNanos } of postings) {
    const { charge } = record;
    const startedAt = Number(charge.startedAtMs);
    const startMs = startedAt - (startedAt % intervalMs);
    const key = `${charge.accountId}/${charge.keyId}/${startMs}/${charge.model}`;
    let sum = sums.get(key);
    if (sum === undefined) {
      sum = {
        accountId: charge.accountId,
        startMs,
        keyId: charge.keyId,
        model: charge.model,
        requests: 0,
        chargedNanos: 0n,
        costNanos: 0n,
        quantities: USAGE_BUCKETS.map(() => 0n),
      };
      sums.set(key, sum);
    }
    sum.requests++;
    sum.chargedNanos += chargedNanos;
    sum.costNanos += charge.costNanos;
    for (const line of charge.lines) {
      const index = bucketIndex(line.bucket);
      if (index !== undefined) sum.quantities[index] = (sum.quantities[index] ?? 0n) + line.quantity;
    }
  }
  return [...sums.values()];
}

import { DAY_MS, HOUR_MS } from '../request-time.ts';
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

/** Sums charges by account, hour of their start (UTC), key and model. */
export function sumHours(postings: readonly Posting[]): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const { record, chargedNanos } of postings) {
    const { charge } = record;
    const startedAt = Number(charge.startedAtMs);
    const startMs = startedAt - (startedAt % HOUR_MS);
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

/** Sums what hours came to by their day (UTC). */
export function sumDays(hours: readonly UsageSum[]): UsageSum[] {
  const days = new Map<string, UsageSum>();
  for (const hour of hours) {
    const startMs = hour.startMs - (hour.startMs % DAY_MS);
    const key = `${hour.accountId}/${hour.keyId}/${startMs}/${hour.model}`;
    const day = days.get(key);
    if (day === undefined) {
      days.set(key, { ...hour, startMs, quantities: [...hour.quantities] });
      continue;
    }
    day.requests += hour.requests;
    day.chargedNanos += hour.chargedNanos;
    day.costNanos += hour.costNanos;
    day.quantities = day.quantities.map((quantity, index) => quantity + (hour.quantities[index] ?? 0n));
  }
  return [...days.values()];
}

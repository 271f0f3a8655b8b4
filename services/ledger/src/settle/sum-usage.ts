import type { Charge } from '@tollgate/proto/ledger';
import { DAY_MS, HOUR_MS } from '../request-time.ts';
import { PairMap } from './pair-map.ts';
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
  const sums = new PairMap<Map<string, UsageSum[]>>();
  for (const { record, chargedNanos } of postings) {
    const { charge } = record;
    const startedAt = Number(charge.startedAtMs);
    const sum = sumOf(sums, charge, startedAt - (startedAt % HOUR_MS));
    sum.requests++;
    sum.chargedNanos += chargedNanos;
    sum.costNanos += charge.costNanos;
    for (const line of charge.lines) {
      const index = bucketIndex(line.bucket);
      if (index !== undefined) sum.quantities[index] = (sum.quantities[index] ?? 0n) + line.quantity;
    }
  }
  return sums.values().flatMap((models) => [...models.values()].flat());
}

/** The sum that a charge belongs to; made when there is none. */
function sumOf(sums: PairMap<Map<string, UsageSum[]>>, charge: Charge, startMs: number): UsageSum {
  const { accountId, keyId, model } = charge;
  let models = sums.get(accountId, keyId);
  if (models === undefined) {
    models = new Map();
    sums.set(accountId, keyId, models);
  }
  let hours = models.get(model);
  if (hours === undefined) {
    hours = [];
    models.set(model, hours);
  }
  let sum = hours.find((hour) => hour.startMs === startMs);
  if (sum === undefined) {
    const quantities = USAGE_BUCKETS.map(() => 0n);
    sum = { accountId, startMs, keyId, model, requests: 0, chargedNanos: 0n, costNanos: 0n, quantities };
    hours.push(sum);
  }
  return sum;
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

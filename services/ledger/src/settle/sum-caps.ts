import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import type { Posting } from './plan-settlement.ts';

/** One cap of a key in one period. */
export interface Cap {
  accountId: string;
  keyId: string;
  period: CapPeriodLabel;
  /** Unix milliseconds; 0 for total. */
  startMs: number;
}

/** What a batch charges to one cap from one session. */
export interface CapSpending extends Cap {
  sessionId: string;
  /** Nano-dollars in all. */
  charged: bigint;
  /** The part charged by requests that were held under the cap, nano-dollars. */
  underCap: bigint;
}

/** Names a cap, for maps. */
export function capKey({ accountId, keyId, period, startMs }: Cap): string {
  return `${accountId}/${keyId}/${period}/${startMs}`;
}

/** The keys of postings with the day and the month of their requests: where caps may lie that they count in. */
export interface KeyDay {
  accountId: string;
  keyId: string;
  /** Begin of the day and of its month (UTC), Unix milliseconds. */
  dayMs: number;
  monthMs: number;
}

/** Sums charges by cap and session, for those caps that exist: also charges of requests held before their cap did. */
export function sumCaps(postings: readonly Posting[], existing: ReadonlySet<string>): CapSpending[] {
  const sums = new Map<string, CapSpending>();
  for (const { record, chargedNanos } of postings) {
    if (chargedNanos === 0n) continue;
    const { accountId, keyId, sessionId, startedAtMs, caps } = record.charge;
    for (const period of CAP_PERIODS) {
      const cap = { accountId, keyId, period, startMs: periodStart(period, Number(startedAtMs)) };
      const name = capKey(cap);
      if (!existing.has(name)) continue;
      const underCap = caps.includes(CAP_PERIOD_OF_LABEL[period]) ? chargedNanos : 0n;
      const key = `${name}/${sessionId}`;
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { ...cap, sessionId, charged: chargedNanos, underCap });
      else {
        sum.charged += chargedNanos;
        sum.underCap += underCap;
      }
    }
  }
  return [...sums.values()];
}

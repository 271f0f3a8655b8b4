import { DAY_MS, monthStart } from '../request-time.ts';
import type { AccountCharge } from '../store/charge-balances.ts';
import type { LeaseSpending } from '../store/spend-leases.ts';
import { PairMap } from './pair-map.ts';
import type { Posting } from './plan-settlement.ts';
import type { SettlementRecord } from './settlement-record.ts';
import type { KeyDay } from './sum-caps.ts';

/** The leases that records name. */
export function leasesOf(records: readonly SettlementRecord[]): { accountId: string; sessionId: string }[] {
  const leases = new PairMap<{ accountId: string; sessionId: string }>();
  for (const { charge } of records) {
    const { accountId, sessionId } = charge;
    if (leases.get(accountId, sessionId) === undefined) leases.set(accountId, sessionId, { accountId, sessionId });
  }
  return leases.values();
}

/** The keys that records name, each with the days their requests started on. */
export function keyDaysOf(records: readonly SettlementRecord[]): KeyDay[] {
  const keys = new PairMap<KeyDay[]>();
  for (const { charge } of records) {
    const { accountId, keyId } = charge;
    const startedAtMs = Number(charge.startedAtMs);
    const dayMs = startedAtMs - (startedAtMs % DAY_MS);
    const days = keys.get(accountId, keyId);
    if (days?.some((day) => day.dayMs === dayMs)) continue;
    const day = { accountId, keyId, dayMs, monthMs: monthStart(dayMs) };
    if (days === undefined) keys.set(accountId, keyId, [day]);
    else days.push(day);
  }
  return keys.values().flat();
}

/** What postings take from each lease. */
export function spendingsOf(postings: readonly Posting[]): LeaseSpending[] {
  const spendings = new PairMap<LeaseSpending>();
  for (const { record, chargedNanos } of postings) {
    if (chargedNanos === 0n) continue;
    const { accountId, sessionId } = record.charge;
    const spending = spendings.get(accountId, sessionId);
    if (spending === undefined) spendings.set(accountId, sessionId, { accountId, sessionId, amount: chargedNanos });
    else spending.amount += chargedNanos;
  }
  return spendings.values();
}

/** What postings move on each account. */
export function movesOf(postings: readonly Posting[]): AccountCharge[] {
  const moves = new Map<string, AccountCharge>();
  for (const { record, chargedNanos } of postings) {
    const { accountId, costNanos } = record.charge;
    if (costNanos === 0n) continue;
    const move = moves.get(accountId);
    if (move === undefined) moves.set(accountId, { accountId, charged: chargedNanos, cost: costNanos });
    else {
      move.charged += chargedNanos;
      move.cost += costNanos;
    }
  }
  return [...moves.values()];
}

import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { crossThresholds } from '../events/cross-thresholds.ts';
import { addUsage } from '../store/add-usage.ts';
import { chargeBalances } from '../store/charge-balances.ts';
import { ensureAccounts } from '../store/ensure-accounts.ts';
import { insertCharges } from '../store/insert-charges.ts';
import { insertQuarantined } from '../store/insert-quarantined.ts';
import { type LockedBalances, lockBalances } from '../store/lock-balances.ts';
import { readCaps } from '../store/read-caps.ts';
import { readCovers } from '../store/read-covers.ts';
import { readPosted } from '../store/read-posted.ts';
import { spendCaps } from '../store/spend-caps.ts';
import { spendLeases } from '../store/spend-leases.ts';
import { boundsFault, planSettlement, type SettlementPlan } from './plan-settlement.ts';
import type { SettlementRecord } from './settlement-record.ts';
import { sumCaps } from './sum-caps.ts';
import { keyDaysOf, leasesOf, movesOf, spendingsOf } from './sum-postings.ts';
import { sumDays, sumHours } from './sum-usage.ts';

/**
 * Settles records in one transaction: what becomes of each, committed. Accounts that the ledger does not know, but for
 * which there is a charge of nothing, are made known before; within the transaction their rows would come out of order.
 */
export async function settleRecords(
  pool: Pool,
  records: readonly SettlementRecord[],
  maxAgeMs: number,
): Promise<SettlementPlan> {
  const wellFormed = records.filter((record) => record.fault === undefined);
  const accountIds = [...new Set(wellFormed.map((record) => record.charge.accountId))];
  const free = new Set(wellFormed.filter(isFree).map((record) => record.charge.accountId));
  const settled = await inTransaction(pool, async (client) => {
    const locked = await lockBalances(client, accountIds);
    const unknown = [...free].filter((accountId) => !locked.known.has(accountId));
    return unknown.length > 0 ? unknown : settleLocked(client, records, locked, maxAgeMs);
  });
  if (!Array.isArray(settled)) return settled;
  await ensureAccounts(pool, settled);
  return inTransaction(pool, async (client) =>
    settleLocked(client, records, await lockBalances(client, accountIds), maxAgeMs),
  );
}

/** A free model, a discount of 100 % and a failed call cost nothing, so that there need not be a deposit before. */
function isFree({ charge }: SettlementRecord): boolean {
  return charge.costNanos === 0n && charge.holdNanos === 0n;
}

/** Settles records in the client's transaction, which has locked the balances of their accounts. */
export async function settleLocked(
  client: PoolClient,
  records: readonly SettlementRecord[],
  { known, nowMs }: LockedBalances,
  maxAgeMs: number,
): Promise<SettlementPlan> {
  const wellFormed = records.filter((record) => record.fault === undefined);
  const owned = wellFormed.filter(
    (record) => known.has(record.charge.accountId) && boundsFault(record, Number(nowMs), maxAgeMs) === undefined,
  );
  const covers = await readCovers(client, leasesOf(owned));
  const caps = await readCaps(client, keyDaysOf(owned));
  const posted = await readPosted(client, owned);
  const plan = planSettlement(records, { nowMs, accounts: known, covers, posted }, maxAgeMs);
  if (plan.postings.length > 0) {
    await insertCharges(client, plan.postings, nowMs);
    await spendLeases(client, spendingsOf(plan.postings));
    const low = await chargeBalances(client, movesOf(plan.postings));
    if (low.length > 0) await crossThresholds(client, low, nowMs);
    const hours = sumHours(plan.postings);
    await addUsage(client, 'usage_hourly', hours);
    await addUsage(client, 'usage_daily', sumDays(hours));
    const spendings = caps.size === 0 ? [] : sumCaps(plan.postings, caps);
    if (spendings.length > 0) await spendCaps(client, spendings);
  }
  if (plan.quarantined.length > 0) await insertQuarantined(client, plan.quarantined);
  return plan;
}

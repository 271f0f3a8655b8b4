import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { crossThresholds } from '../events/thresholds.ts';
import { chargeBalances, ensureAccounts, type LockedBalances, lockBalances } from '../store/balances.ts';
import { readCaps, spendCaps } from '../store/caps.ts';
import { insertCharges, readPosted } from '../store/charges.ts';
import { readRemaining, spendLeases } from '../store/leases.ts';
import { ensurePartitions } from '../store/partitions.ts';
import { insertQuarantined, quarantineAlone } from '../store/quarantined-charges.ts';
import { isDataError, isMissingPartition, type RetryOptions, withRetries } from '../store/retry.ts';
import { addUsage } from '../store/usage.ts';
import { planSettlement, type QuarantinedRecord, type SettlementPlan, timeProblem } from './plan-settlement.ts';
import type { SettlementRecord } from './settlement-record.ts';
import { keyDaysOf, leasesOf, movesOf, spendingsOf, sumCaps, sumDays, sumHours } from './sums.ts';

export interface IsolationOptions {
  /** Charges whose request is older than this go to quarantine. */
  maxAgeMs: number;
  logger: Logger;
  retry?: RetryOptions;
}

/**
 * Settles records, with retries while the database fails. If the database rejects the data of a batch despite the checks
 * made before, the batch is halved until the bad record is found; that one is quarantined, the others are posted. Other
 * errors never quarantine a record.
 *
 * @throws the database's error when the retries are exhausted; some of the records may be posted then
 */
export async function settleIsolating(
  pool: Pool,
  records: readonly SettlementRecord[],
  options: IsolationOptions,
): Promise<SettlementPlan> {
  try {
    return await withRetries(() => settleInPartitions(pool, records, options), options.retry);
  } catch (error) {
    const [record] = records;
    if (!isDataError(error) || record === undefined) throw error;
    if (records.length === 1) {
      const reason = `rejected by the database: ${messageOf(error)}`;
      const item: QuarantinedRecord = { record, cause: 'refused_by_database', reason };
      await withRetries(() => quarantineAlone(pool, item), options.retry);
      return { outcomes: [SettleOutcome.QUARANTINED], postings: [], quarantined: [item] };
    }
    options.logger.error(
      { err: error, rows: records.length },
      'the database rejected a batch, it is settled in halves',
    );
    const middle = Math.ceil(records.length / 2);
    const left = await settleIsolating(pool, records.slice(0, middle), options);
    const right = await settleIsolating(pool, records.slice(middle), options);
    return {
      outcomes: [...left.outcomes, ...right.outcomes],
      postings: [...left.postings, ...right.postings],
      quarantined: [...left.quarantined, ...right.quarantined],
    };
  }
}

/** Settles records in one transaction; creates the partition of their month first if it turns out to be missing. */
async function settleInPartitions(
  pool: Pool,
  records: readonly SettlementRecord[],
  { maxAgeMs, logger, retry }: IsolationOptions,
): Promise<SettlementPlan> {
  try {
    return await settleRecords(pool, records, maxAgeMs);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    logger.error({ err: error, rows: records.length }, 'a month has no partition, it is created now');
    await ensurePartitions(pool, Date.now(), maxAgeMs, logger, retry);
    return settleRecords(pool, records, maxAgeMs);
  }
}

/**
 * Settles records in one transaction. Unknown accounts with a charge that costs nothing are created first, in a statement of
 * their own: within the transaction their rows would be locked out of order.
 */
export async function settleRecords(
  pool: Pool,
  records: readonly SettlementRecord[],
  maxAgeMs: number,
): Promise<SettlementPlan> {
  const wellFormed = records.filter((record) => record.problem === undefined);
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

/** A free model, a discount of 100 % or a failed call costs nothing and so needs no deposit. */
function isFree({ charge }: SettlementRecord): boolean {
  return charge.costNanos === 0n && charge.holdNanos === 0n;
}

/** Settles records in the client's transaction, which holds the locks of their accounts' balances. */
export async function settleLocked(
  client: PoolClient,
  records: readonly SettlementRecord[],
  { known, nowMs }: LockedBalances,
  maxAgeMs: number,
): Promise<SettlementPlan> {
  const wellFormed = records.filter((record) => record.problem === undefined);
  const owned = wellFormed.filter(
    (record) => known.has(record.charge.accountId) && timeProblem(record, Number(nowMs), maxAgeMs) === undefined,
  );
  const remaining = await readRemaining(client, leasesOf(owned));
  const caps = await readCaps(client, keyDaysOf(owned));
  const posted = await readPosted(client, owned);
  const plan = planSettlement(records, { nowMs, accounts: known, remaining, posted }, maxAgeMs);
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

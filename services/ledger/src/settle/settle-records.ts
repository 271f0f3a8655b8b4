import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { runPipeline, type Statement } from '@tollgate/common/postgres/pipeline';
import { inOwnTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { alertCaps } from '../events/cap-alerts.ts';
import { crossThresholds } from '../events/thresholds.ts';
import { type AccountCharge, balancesLock, chargeBalances, ensureAccounts } from '../store/balances.ts';
import { type CapSpending, type CapsOfNodes, readCaps, spendCaps } from '../store/charged-caps.ts';
import { insertCharges, readPosted } from '../store/charges.ts';
import { readRemaining, spendLeases } from '../store/leases.ts';
import { addNodeUsage } from '../store/node-usage.ts';
import { ensurePartitions } from '../store/partitions.ts';
import { insertQuarantined, quarantineAlone } from '../store/quarantined-charges.ts';
import { isDataError, isMissingPartition, type RetryOptions, withRetries } from '../store/retry.ts';
import { addUsage } from '../store/usage.ts';
import {
  type LedgerState,
  type Posting,
  planSettlement,
  type QuarantinedRecord,
  type SettlementPlan,
  startProblem,
} from './plan-settlement.ts';
import type { SettlementRecord } from './settlement-record.ts';
import {
  layersOf,
  leasesOf,
  movesOf,
  nodesOf,
  spendingsOf,
  startsOf,
  sumCaps,
  sumDays,
  sumHours,
  sumNodes,
} from './sums.ts';

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
  const settled = await inOwnTransaction(pool, async (client) => {
    const state = await readState(client, records, 'begin');
    const unknown = [...new Set(records.filter(isFree).map(({ charge }) => charge.accountId))].filter(
      (accountId) => !state.accounts.has(accountId),
    );
    if (unknown.length === 0) return post(client, records, { state, maxAgeMs }, 'commit');
    await client.query('ROLLBACK');
    return unknown;
  });
  if (!Array.isArray(settled)) return settled;
  await ensureAccounts(pool, settled);
  return inOwnTransaction(pool, async (client) => {
    const state = await readState(client, records, 'begin');
    return post(client, records, { state, maxAgeMs }, 'commit');
  });
}

/** A free model, a discount of 100 % or a failed call costs nothing and so needs no deposit. */
function isFree({ charge, problem }: SettlementRecord): boolean {
  return problem === undefined && charge.costNanos === 0n && charge.holdNanos === 0n;
}

/** Settles records in the client's transaction. */
export async function settleWithin(
  client: PoolClient,
  records: readonly SettlementRecord[],
  maxAgeMs: number,
): Promise<SettlementPlan> {
  return post(client, records, { state: await readState(client, records), maxAgeMs });
}

interface SettlementState extends LedgerState {
  /** Existing caps, see readCaps. */
  caps: CapsOfNodes;
  /** See LockedBalances. */
  untilNotified: ReadonlyMap<string, bigint>;
}

/** Locks the balances of the records' accounts, and reads what decides about the records. */
async function readState(
  client: PoolClient,
  records: readonly SettlementRecord[],
  transaction?: 'begin',
): Promise<SettlementState> {
  // What is out of time or has no account finds nothing; a start far from the id is no valid time of a cap.
  const valid = records.filter((record) => record.problem === undefined && startProblem(record) === undefined);
  const accountIds = [...new Set(valid.map(({ charge }) => charge.accountId))];
  const [locked, remaining, caps, posted] = await runPipeline(
    client,
    [
      balancesLock(accountIds),
      readRemaining(leasesOf(valid)),
      readCaps(nodesOf(valid), startsOf(valid)),
      readPosted(valid),
    ],
    transaction,
  );
  const { nowMs, known, untilNotified } = locked;
  return { nowMs, accounts: known, untilNotified, remaining, caps, posted };
}

/** Plans the settlement of records, and writes it. */
async function post(
  client: PoolClient,
  records: readonly SettlementRecord[],
  { state, maxAgeMs }: { state: SettlementState; maxAgeMs: number },
  transaction?: 'commit',
): Promise<SettlementPlan> {
  const plan = planSettlement(records, state, maxAgeMs);
  if (plan.quarantined.length > 0) await insertQuarantined(client, plan.quarantined);
  const moves = movesOf(plan.postings);
  const low = moves.filter(({ accountId, charged }) => charged >= (state.untilNotified.get(accountId) ?? charged + 1n));
  const spendings = sumCaps(plan.postings, state.caps);
  const lowCaps = spendings.filter(({ charged, untilAlert }) => untilAlert !== null && charged >= untilAlert);
  const writes = plan.postings.length === 0 ? [] : writesOf(plan.postings, { moves, spendings, nowMs: state.nowMs });
  if (low.length === 0 && lowCaps.length === 0) {
    await runPipeline(client, writes, transaction);
    return plan;
  }
  await runPipeline(client, writes);
  const accountIds = low.map(({ accountId }) => accountId).sort();
  if (accountIds.length > 0) await crossThresholds(client, accountIds, state.nowMs);
  if (lowCaps.length > 0) await alertCaps(client, lowCaps, state.nowMs);
  if (transaction !== undefined) await client.query('COMMIT');
  return plan;
}

function writesOf(
  postings: readonly Posting[],
  { moves, spendings, nowMs }: { moves: readonly AccountCharge[]; spendings: readonly CapSpending[]; nowMs: bigint },
): Statement<void>[] {
  const hours = sumHours(postings);
  const nodes = sumNodes(postings);
  return [
    insertCharges(postings, nowMs),
    spendLeases(spendingsOf(postings)),
    chargeBalances(moves),
    ...layersOf(hours).map((layer) => addUsage('usage_hourly', layer)),
    ...layersOf(sumDays(hours)).map((layer) => addUsage('usage_daily', layer)),
    ...(nodes.length > 0 ? [addNodeUsage(nodes)] : []),
    ...(spendings.length > 0 ? [spendCaps(spendings)] : []),
  ];
}

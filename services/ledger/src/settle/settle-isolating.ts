import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { ensurePartitions } from '../partitions.ts';
import { isDataError, isMissingPartition, type RetryOptions, withRetries } from '../retry.ts';
import { quarantineAlone } from '../store/quarantine-alone.ts';
import type { Quarantining, SettlementPlan } from './plan-settlement.ts';
import { settleRecords } from './settle-records.ts';
import type { SettlementRecord } from './settlement-record.ts';

export interface IsolationOptions {
  /** Charges whose request is older than this go to quarantine. */
  maxAgeMs: number;
  logger: Logger;
  retry?: RetryOptions;
}

/**
 * Settles records, again while the database fails. Should the database refuse the data of a batch in spite of the checks
 * made before, the batch is halved until the record at fault stands alone; that one is kept aside, the others are posted.
 * Any other error is no fault of a record: none is kept aside for it.
 *
 * @throws the database's error when it fails for longer than the retries last; others of the records may be posted then
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
      const reason = `refused by the database: ${messageOf(error)}`;
      const item: Quarantining = { record, cause: 'refused_by_database', reason };
      await withRetries(() => quarantineAlone(pool, item), options.retry);
      return { outcomes: [SettleOutcome.QUARANTINED], postings: [], quarantined: [item] };
    }
    options.logger.error({ err: error, rows: records.length }, 'the database refused a batch, it is settled in halves');
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

/** Settles records in one transaction; makes the partition of their month before, where it turns out to be missing. */
async function settleInPartitions(
  pool: Pool,
  records: readonly SettlementRecord[],
  { maxAgeMs, logger, retry }: IsolationOptions,
): Promise<SettlementPlan> {
  try {
    return await settleRecords(pool, records, maxAgeMs);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    logger.error({ err: error, rows: records.length }, 'a month has no partition: it is made now');
    await ensurePartitions(pool, Date.now(), maxAgeMs, logger, retry);
    return settleRecords(pool, records, maxAgeMs);
  }
}

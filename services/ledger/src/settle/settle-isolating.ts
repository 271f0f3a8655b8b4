import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { isDataError, type RetryOptions, withRetries } from '../retry.ts';
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
 * Settles records, again after transient errors. Should the database refuse the data of a batch in spite of the checks
 * made before, the batch is halved until the record at fault stands alone; that one is kept aside, the others are posted.
 */
export async function settleIsolating(
  pool: Pool,
  records: readonly SettlementRecord[],
  options: IsolationOptions,
): Promise<SettlementPlan> {
  try {
    return await withRetries(() => settleRecords(pool, records, options.maxAgeMs), options.retry);
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

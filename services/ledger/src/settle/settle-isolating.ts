import { messageOf } from '@tollgate/common/errors';
import type { Pool } from '@tollgate/common/postgres/pool';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { isDataError, type RetryOptions, withRetries } from '../retry.ts';
import { quarantineAlone } from '../store/quarantine-alone.ts';
import type { SettlementPlan } from './plan-settlement.ts';
import { settleRecords } from './settle-records.ts';
import type { SettlementRecord } from './settlement-record.ts';

/**
 * Settles records, again after transient errors. Should the database refuse the data of a batch in spite of the checks
 * made before, the batch is halved until the record at fault stands alone; that one is kept aside, the others are posted.
 */
export async function settleIsolating(
  pool: Pool,
  records: readonly SettlementRecord[],
  maxAgeMs: number,
  retry?: RetryOptions,
): Promise<SettlementPlan> {
  try {
    return await withRetries(() => settleRecords(pool, records, maxAgeMs), retry);
  } catch (error) {
    const [record] = records;
    if (!isDataError(error) || record === undefined) throw error;
    if (records.length === 1) {
      const item = { record, reason: `refused by the database: ${messageOf(error)}` };
      await withRetries(() => quarantineAlone(pool, item), retry);
      return { outcomes: [SettleOutcome.QUARANTINED], postings: [], quarantined: [item] };
    }
    const middle = Math.ceil(records.length / 2);
    const left = await settleIsolating(pool, records.slice(0, middle), maxAgeMs, retry);
    const right = await settleIsolating(pool, records.slice(middle), maxAgeMs, retry);
    return {
      outcomes: [...left.outcomes, ...right.outcomes],
      postings: [...left.postings, ...right.postings],
      quarantined: [...left.quarantined, ...right.quarantined],
    };
  }
}

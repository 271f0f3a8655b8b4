import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { MAX_CLOCK_SKEW_MS, monthStart } from './request-time.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { ensurePartition, type PartitionedTable } from './store/ensure-partition.ts';

const TABLES: readonly PartitionedTable[] = ['charges', 'transfers'];

/** Months made ahead: the ledger may be down, or its daily task fail, for this long. */
const MONTHS_AHEAD = 2;

/** The UTC months that charges may lie in now and soon: from the oldest one still taken to some months ahead. */
export function monthsNeeded(nowMs: number, maxAgeMs: number): number[] {
  const last = monthStart(nowMs + MAX_CLOCK_SKEW_MS, MONTHS_AHEAD);
  const months: number[] = [];
  for (let month = monthStart(nowMs - maxAgeMs); month <= last; month = monthStart(month, 1)) months.push(month);
  return months;
}

/** Makes the partitions that are missing for now and for months to come. */
export async function ensurePartitions(
  pool: Pool,
  nowMs: number,
  maxAgeMs: number,
  logger: Logger,
  retry?: RetryOptions,
): Promise<void> {
  for (const month of monthsNeeded(nowMs, maxAgeMs)) {
    for (const table of TABLES) {
      const made = await withRetries(() => ensurePartition(pool, table, month), retry);
      if (made) logger.info({ table, month: new Date(month).toISOString().slice(0, 7) }, 'partition made');
    }
  }
}

import { metrics } from '@opentelemetry/api';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { MAX_CLOCK_SKEW_MS, monthStart } from './request-time.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { ensurePartition, type PartitionedTable } from './store/ensure-partition.ts';
import { listPartitions } from './store/list-partitions.ts';

const TABLES: readonly PartitionedTable[] = ['charges', 'transfers'];

/** Months made ahead: the ledger may be down, or its task fail, for this long. */
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
  for (const table of TABLES) {
    const there = new Set(await withRetries(() => listPartitions(pool, table), retry));
    for (const month of monthsNeeded(nowMs, maxAgeMs)) {
      if (there.has(month)) continue;
      const made = await withRetries(() => ensurePartition(pool, table, month), retry);
      if (made) logger.info({ table, month: new Date(month).toISOString().slice(0, 7) }, 'partition made');
    }
  }
}

/** The whole months after the one of a time that every table has partitions for, without a gap. */
export async function monthsAhead(pool: Pool, nowMs: number): Promise<number> {
  const counts = await Promise.all(
    TABLES.map(async (table) => {
      const months = new Set(await listPartitions(pool, table));
      let ahead = -1;
      while (months.has(monthStart(nowMs, ahead + 1))) ahead++;
      return ahead;
    }),
  );
  return Math.min(...counts);
}

/**
 * Makes what tells how many months partitions are made ahead: a metric, and an alarm when the next month has none, as
 * nothing could be posted in it.
 */
export function partitionReporter(pool: Pool, logger: Logger): (nowMs: number) => Promise<number> {
  const gauge = metrics.getMeter('tollgate-ledger').createGauge('tollgate_ledger_partition_months_ahead', {
    description: 'Months after the present one that partitions are made for',
  });
  return async (nowMs) => {
    const ahead = await monthsAhead(pool, nowMs);
    gauge.record(ahead);
    if (ahead < MONTHS_AHEAD)
      logger.error({ months_ahead: ahead, wanted: MONTHS_AHEAD }, 'partitions are missing ahead');
    return ahead;
  };
}

import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import { MONTHS_AHEAD, monthsAhead } from '../store/partitions.ts';

/**
 * Reports for how many months ahead partitions exist: a metric, and an error in the log when there are too few, because
 * nothing can be posted in a month without one.
 */
export function createPartitionReporter(pool: Pool, logger: Logger): (nowMs: number) => Promise<number> {
  const gauge = meterOf('tollgate-ledger').createGauge('tollgate_ledger_partition_months_ahead', {
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

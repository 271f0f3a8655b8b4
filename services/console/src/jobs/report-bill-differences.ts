import type { Logger } from '@tollgate/common/logging';
import { type Periodic, runPeriodically } from '@tollgate/common/periodic';
import type { Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import { dayOf } from '../paging/recent-ranges.ts';
import { countBillDifferences } from '../store/provider-bills.ts';

const INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;
/** Days that count: this month's and the last one's bills. */
const DAYS = 62;

/** Reports how many days of models each provider billed otherwise than metered. */
export function startReportingBillDifferences({ pool, logger }: { pool: Pool; logger: Logger }): Periodic {
  let differences: ReadonlyMap<string, number> = new Map();
  meterOf('tollgate-console')
    .createObservableGauge('tollgate.provider_bill_differences', {
      description: 'Days and models of the last 62 days that a provider billed otherwise than metered.',
    })
    .addCallback((result) => {
      for (const [provider, differing] of differences) result.observe(differing, { provider });
    });
  return runPeriodically('report bill differences', INTERVAL_MS, logger, async () => {
    differences = await countBillDifferences(pool, dayOf(Date.now() - DAYS * DAY_MS, 'UTC'));
  });
}

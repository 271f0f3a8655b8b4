import type { Queryable } from '@tollgate/common/postgres/pool';
import type { TimeRange } from '../ranges.ts';
import { DAY_MS, HOUR_MS } from '../request-time.ts';
import { USAGE_BUCKETS } from '../settle/usage-buckets.ts';

export type IntervalName = 'hour' | 'day' | 'month';

export interface UsageQuery {
  accountId: string;
  range: TimeRange;
  interval: IntervalName;
  byModel: boolean;
  byKey: boolean;
  /** Rows at most. */
  limit: number;
}

export interface UsageSumRow {
  start_ms: bigint;
  model: string;
  key_id: string;
  requests: bigint;
  charged_nanos: bigint;
  quantities: bigint[];
}

const SUMS = USAGE_BUCKETS.map((bucket) => `sum(${bucket})::bigint`).join(', ');

const MONTH_OF_DAY = `(extract(epoch FROM date_trunc('month', to_timestamp(start_ms / 1000) AT TIME ZONE 'UTC')) * 1000)::bigint`;

/**
 * Sums an account's usage by interval and group, from the roll-ups: hours from the hourly one, days and months from the
 * daily one. The hour or day that a range begins in counts as a whole.
 */
export async function readUsage(db: Queryable, query: UsageQuery): Promise<UsageSumRow[]> {
  const { interval, byModel, byKey } = query;
  const step = interval === 'hour' ? HOUR_MS : DAY_MS;
  const groups = ['1', ...(byModel ? ['2'] : []), ...(byKey ? ['3'] : [])].join(', ');
  const { rows } = await db.query<Omit<UsageSumRow, 'quantities'> & { quantities: string[] }>(
    `SELECT ${interval === 'month' ? MONTH_OF_DAY : 'start_ms'} AS start_ms,
            ${byModel ? 'model' : "''"} AS model,
            ${byKey ? 'key_id::text' : "''"} AS key_id,
            sum(requests)::bigint AS requests,
            sum(charged_nanos)::bigint AS charged_nanos,
            ARRAY[${SUMS}]::text[] AS quantities
     FROM ledger.${interval === 'hour' ? 'usage_hourly' : 'usage_daily'}
     WHERE account_id = $1 AND start_ms >= $2 AND start_ms < $3
     GROUP BY ${groups} ORDER BY ${groups} LIMIT $4`,
    [query.accountId, query.range.startMs - (query.range.startMs % step), query.range.endMs, query.limit],
  );
  return rows.map((row) => ({ ...row, quantities: row.quantities.map(BigInt) }));
}

import { BUCKETS } from '@tollgate/common/billing/buckets';
import type { Statement } from '@tollgate/common/postgres/pipeline';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { arrayText, quotedArrayText } from './batch.ts';
import { DAY_MS, HOUR_MS, type TimeRange } from './time.ts';

/** What a batch adds to one row of a roll-up. */
export interface UsageSum {
  accountId: string;
  /** Start of the interval, Unix milliseconds. */
  startMs: number;
  keyId: string;
  model: string;
  requests: number;
  chargedNanos: bigint;
  costNanos: bigint;
  /** In the order of USAGE_BUCKETS. */
  quantities: bigint[];
}

/** The buckets of charge lines that have a column in the roll-ups, in the order of these. */
export const USAGE_BUCKETS = BUCKETS.filter((bucket) => bucket !== 'fetch');

const INDEX: ReadonlyMap<string, number> = new Map(USAGE_BUCKETS.map((bucket, index) => [bucket, index]));

/** The index of a bucket in USAGE_BUCKETS; undefined for an unknown one. */
export function bucketIndex(bucket: string): number | undefined {
  return INDEX.get(bucket);
}

export type RollUp = 'usage_hourly' | 'usage_daily';

const SUM_COLUMNS = ['requests', 'charged_nanos', 'cost_nanos', ...USAGE_BUCKETS];
const COLUMNS = ['account_id', 'start_ms', 'key_id', 'model', ...SUM_COLUMNS].join(', ');
const ARRAYS = ['uuid', 'bigint', 'uuid', 'text', ...SUM_COLUMNS.map(() => 'bigint')]
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ');
const ADDED = SUM_COLUMNS.map((name) => `${name} = u.${name} + excluded.${name}`).join(', ');

/** Adds sums to a roll-up. The accounts' balances must be locked. */
export function addUsage(rollUp: RollUp, sums: readonly UsageSum[]): Statement<void> {
  return {
    name: `add-${rollUp}`,
    text: `
      INSERT INTO ledger.${rollUp} AS u (${COLUMNS})
      SELECT ${COLUMNS} FROM unnest(${ARRAYS}) AS added (${COLUMNS})
      ON CONFLICT (account_id, start_ms, key_id, model) DO UPDATE SET ${ADDED}`,
    values: [
      arrayText(sums.map((sum) => sum.accountId)),
      arrayText(sums.map((sum) => sum.startMs)),
      arrayText(sums.map((sum) => sum.keyId)),
      quotedArrayText(sums.map((sum) => sum.model)),
      arrayText(sums.map((sum) => sum.requests)),
      arrayText(sums.map((sum) => sum.chargedNanos)),
      arrayText(sums.map((sum) => sum.costNanos)),
      ...USAGE_BUCKETS.map((_, index) => arrayText(sums.map((sum) => sum.quantities[index] ?? 0n))),
    ],
    read: () => undefined,
  };
}

export type IntervalName = 'hour' | 'day' | 'month';

export interface UsageQuery {
  accountId: string;
  range: TimeRange;
  interval: IntervalName;
  byModel: boolean;
  byKey: boolean;
  /** One row per group for the whole range. */
  totals: boolean;
  /** Undefined: all keys. */
  keyIds?: readonly string[] | undefined;
  /** Maximum rows. */
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

const BUCKET_SUMS = USAGE_BUCKETS.map((bucket) => `sum(${bucket})::bigint`).join(', ');

const MONTH_OF_DAY = `(extract(epoch FROM date_trunc('month', to_timestamp(start_ms / 1000) AT TIME ZONE 'UTC')) * 1000)::bigint`;

/**
 * Sums an account's usage by interval and group, from the roll-ups: hours from the hourly one, days and months from the
 * daily one. The hour or day in which the range starts is included entirely.
 */
export async function readUsage(db: Queryable, query: UsageQuery): Promise<UsageSumRow[]> {
  const { interval, byModel, byKey, keyIds } = query;
  const start = query.totals ? '$2::bigint' : interval === 'month' ? MONTH_OF_DAY : 'start_ms';
  const step = interval === 'hour' ? HOUR_MS : DAY_MS;
  const groups = ['1', ...(byModel ? ['2'] : []), ...(byKey ? ['3'] : [])].join(', ');
  const { rows } = await db.query<Omit<UsageSumRow, 'quantities'> & { quantities: string[] }>(
    `SELECT ${start} AS start_ms,
            ${byModel ? 'model' : "''"} AS model,
            ${byKey ? 'key_id::text' : "''"} AS key_id,
            sum(requests)::bigint AS requests,
            sum(charged_nanos)::bigint AS charged_nanos,
            ARRAY[${BUCKET_SUMS}]::text[] AS quantities
     FROM ledger.${interval === 'hour' ? 'usage_hourly' : 'usage_daily'}
     WHERE account_id = $1 AND start_ms >= $2 AND start_ms < $3 ${keyIds === undefined ? '' : 'AND key_id = ANY ($5::uuid[])'}
     GROUP BY ${groups} ORDER BY ${groups} LIMIT $4`,
    [
      query.accountId,
      query.range.startMs - (query.range.startMs % step),
      query.range.endMs,
      query.limit,
      ...(keyIds === undefined ? [] : [keyIds]),
    ],
  );
  return rows.map((row) => ({ ...row, quantities: row.quantities.map(BigInt) }));
}

/**
 * Sums the usage of a batch of accounts in whole days, by model.
 *
 * @returns `last`: the last account of the batch; undefined if none follow
 */
export async function sumUsageOfAccounts(
  db: Queryable,
  range: TimeRange,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ rows: UsageSumRow[]; last: string | undefined }> {
  const { rows: accounts } = await db.query<{ account_id: string }>({
    name: 'accounts-after',
    text: `
      SELECT b.account_id::text FROM ledger.balances b
      WHERE b.account_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY b.account_id LIMIT $2`,
    values: [after, limit],
  });
  const { rows } = await db.query<Omit<UsageSumRow, 'quantities'> & { quantities: string[] }>({
    name: 'sum-usage-of-accounts',
    text: `
      SELECT $2::bigint AS start_ms, model, '' AS key_id, sum(requests)::bigint AS requests,
             sum(charged_nanos)::bigint AS charged_nanos, ARRAY[${BUCKET_SUMS}]::text[] AS quantities
      FROM unnest($1::uuid[]) AS a (account_id)
      JOIN ledger.usage_daily d ON d.account_id = a.account_id AND d.start_ms >= $2 AND d.start_ms < $3
      GROUP BY model`,
    values: [accounts.map((row) => row.account_id), range.startMs, range.endMs],
  });
  return {
    rows: rows.map((row) => ({ ...row, quantities: row.quantities.map(BigInt) })),
    last: accounts.length < limit ? undefined : accounts.at(-1)?.account_id,
  };
}

export interface UsedHours {
  accountId: string;
  /** Undefined: any key. At least this or the model is given. */
  keyIds: readonly string[] | undefined;
  /** Undefined: any model. */
  model: string | undefined;
  /** The first and last hour to consider, Unix milliseconds. */
  fromMs: number;
  toMs: number;
}

/** The latest hour in which a request of one of the keys and of the model started; undefined if there is none. */
export async function latestUsedHour(db: Queryable, query: UsedHours): Promise<number | undefined> {
  const { accountId, keyIds, model, fromMs, toMs } = query;
  const values: unknown[] = [accountId, fromMs, toMs];
  const ofModel = model === undefined ? '' : `AND u.model = $${values.push(model)}`;
  const latest = (ofKey: string) => `
      SELECT u.start_ms FROM ledger.usage_hourly u
      WHERE u.account_id = $1 AND u.start_ms >= $2 AND u.start_ms <= $3 ${ofKey} ${ofModel}
      ORDER BY u.start_ms DESC LIMIT 1`;
  const { rows } = await db.query<{ start_ms: bigint | null }>(
    keyIds === undefined
      ? latest('')
      : `SELECT max(hour.start_ms) AS start_ms FROM unnest($${values.push(keyIds)}::uuid[]) AS k (key_id)
         CROSS JOIN LATERAL (${latest('AND u.key_id = k.key_id')}) hour`,
    values,
  );
  const hour = rows[0]?.start_ms ?? null;
  return hour === null ? undefined : Number(hour);
}

import { BUCKETS } from '@tollgate/common/billing/buckets';
import type { Statement } from '@tollgate/common/postgres/pipeline';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { arrayText, quotedArrayText } from './batch.ts';
import { DAY_MS, HOUR_MS, type TimeRange } from './time.ts';

/** Where the key of a request is in its account. */
export interface KeyPlace {
  /** Undefined: the charge names no nodes, and counts for where the key is known to be. */
  projectId: string | undefined;
  /** The service account or member that owns the key; undefined: none. */
  ownerId: string | undefined;
  /** The topmost of the keys above a derived one. */
  rootKeyId: string | undefined;
}

/** What a batch adds to one row of a roll-up, for a key in one place. */
export interface UsageSum extends KeyPlace {
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

export const SUM_COLUMNS = ['requests', 'charged_nanos', 'cost_nanos', ...USAGE_BUCKETS];
const ROW = ['account_id', 'start_ms', 'key_id', 'model'];
const PLACE = ['project_id', 'owner_id'];
const COLUMNS = [...ROW, ...PLACE, 'root_key_id', ...SUM_COLUMNS].join(', ');
const ARRAYS = ['uuid', 'bigint', 'uuid', 'text', 'uuid', 'uuid', 'uuid', ...SUM_COLUMNS.map(() => 'bigint')]
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ');
const ADDED = SUM_COLUMNS.map((name) => `${name} = u.${name} + excluded.${name}`).join(', ');

/**
 * Adds sums to a roll-up, at most one to each of its rows. The accounts' balances must be locked.
 *
 * A row is where its first charge was. A sum of a key that has moved since is added to the row too, so that all of the row stays
 * the usage of the key, and put down as moved from the one place to the other.
 */
export function addUsage(rollUp: RollUp, sums: readonly UsageSum[]): Statement<void> {
  return {
    name: `add-${rollUp}`,
    text: `
      WITH given AS (SELECT * FROM unnest(${ARRAYS}) AS g (${COLUMNS})), added AS (
        INSERT INTO ledger.${rollUp} AS u (${COLUMNS}) SELECT ${COLUMNS} FROM given
        ON CONFLICT (${ROW.join(', ')}) DO UPDATE SET ${ADDED},
          project_id = coalesce(u.project_id, excluded.project_id),
          owner_id = CASE WHEN u.project_id IS NULL THEN excluded.owner_id ELSE u.owner_id END,
          root_key_id = coalesce(u.root_key_id, excluded.root_key_id),
          moved = u.moved OR (u.project_id IS NOT NULL AND excluded.project_id IS NOT NULL
            AND (u.project_id, u.owner_id) IS DISTINCT FROM (excluded.project_id, excluded.owner_id))
        RETURNING ${[...ROW, ...PLACE].map((name) => `u.${name}`).join(', ')}, u.moved
      )
      INSERT INTO ledger.${rollUp}_moved AS u (${COLUMNS})
      SELECT ${ROW.map((name) => `g.${name}`).join(', ')}, p.project_id, p.owner_id, g.root_key_id,
             ${SUM_COLUMNS.map((name) => `p.sign * g.${name}`).join(', ')}
      FROM added a JOIN given g USING (${ROW.join(', ')})
      CROSS JOIN LATERAL (VALUES (a.project_id, a.owner_id, -1), (g.project_id, g.owner_id, 1)) AS p (project_id, owner_id, sign)
      WHERE a.moved AND g.project_id IS NOT NULL
        AND (g.project_id, g.owner_id) IS DISTINCT FROM (a.project_id, a.owner_id)
      ON CONFLICT (${[...ROW, ...PLACE].join(', ')}) DO UPDATE SET ${ADDED}`,
    values: [
      arrayText(sums.map((sum) => sum.accountId)),
      arrayText(sums.map((sum) => sum.startMs)),
      arrayText(sums.map((sum) => sum.keyId)),
      quotedArrayText(sums.map((sum) => sum.model)),
      arrayText(sums.map((sum) => sum.projectId ?? 'NULL')),
      arrayText(sums.map((sum) => sum.ownerId ?? 'NULL')),
      arrayText(sums.map((sum) => sum.rootKeyId ?? 'NULL')),
      arrayText(sums.map((sum) => sum.requests)),
      arrayText(sums.map((sum) => sum.chargedNanos)),
      arrayText(sums.map((sum) => sum.costNanos)),
      ...USAGE_BUCKETS.map((_, index) => arrayText(sums.map((sum) => sum.quantities[index] ?? 0n))),
    ],
    read: () => undefined,
  };
}

export type IntervalName = 'hour' | 'day' | 'month';

/** Which usage is read; all of the given conditions hold. */
export interface UsageFilter {
  /** Undefined: all keys. */
  keyIds?: readonly string[] | undefined;
  /** Only of these keys and of keys derived from them. */
  keysAndBelow?: readonly string[] | undefined;
  projectIds?: readonly string[] | undefined;
  ownerIds?: readonly string[] | undefined;
}

export interface UsageQuery {
  accountId: string;
  range: TimeRange;
  interval: IntervalName;
  byModel: boolean;
  byKey: boolean;
  byProject?: boolean;
  byOwner?: boolean;
  /** One row per group for the whole range. */
  totals: boolean;
  filter?: UsageFilter;
  /** Maximum rows. */
  limit: number;
}

export interface UsageSumRow {
  start_ms: bigint;
  model: string;
  key_id: string;
  project_id: string;
  owner_id: string;
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
  const { interval, byModel, byKey, byProject = false, byOwner = false, filter = {} } = query;
  const start = query.totals ? '$2::bigint' : interval === 'month' ? MONTH_OF_DAY : 'start_ms';
  const step = interval === 'hour' ? HOUR_MS : DAY_MS;
  const groups = [1, ...[byModel, byKey, byProject, byOwner].flatMap((isBy, at) => (isBy ? [at + 2] : []))].join(', ');
  const values: unknown[] = [
    query.accountId,
    query.range.startMs - (query.range.startMs % step),
    query.range.endMs,
    query.limit,
  ];
  const byPlace = byProject || byOwner || filter.projectIds !== undefined || filter.ownerIds !== undefined;
  const rollUp = interval === 'hour' ? 'usage_hourly' : 'usage_daily';
  const { rows } = await db.query<Omit<UsageSumRow, 'quantities'> & { quantities: string[] }>(
    `SELECT ${start} AS start_ms,
            ${byModel ? 'model' : "''"} AS model,
            ${byKey ? 'key_id::text' : "''"} AS key_id,
            ${byProject ? 'coalesce(project_id, account_id)::text' : "''"} AS project_id,
            ${byOwner ? "coalesce(owner_id::text, '')" : "''"} AS owner_id,
            sum(requests)::bigint AS requests,
            sum(charged_nanos)::bigint AS charged_nanos,
            ARRAY[${BUCKET_SUMS}]::text[] AS quantities
     FROM ${byPlace ? placed(rollUp) : `ledger.${rollUp}`} u
     WHERE account_id = $1 AND start_ms >= $2 AND start_ms < $3 ${placeConditions(filter, values, { unnamed: true })}
     GROUP BY ${groups} ORDER BY ${groups} LIMIT $4`,
    values,
  );
  return rows.map((row) => ({ ...row, quantities: row.quantities.map(BigInt) }));
}

/** SQL: a roll-up in which each row is of a key in one place. */
function placed(rollUp: RollUp): string {
  return `(SELECT ${COLUMNS} FROM ledger.${rollUp} UNION ALL SELECT ${COLUMNS} FROM ledger.${rollUp}_moved)`;
}

/**
 * SQL: what a filter demands of a row with the place of its key. Adds the values that it names.
 *
 * @param unnamed whether rows without a project are the default project's, which has the id of its account
 */
export function placeConditions(
  { keyIds, keysAndBelow, projectIds, ownerIds }: UsageFilter,
  values: unknown[],
  { unnamed }: { unnamed: boolean },
): string {
  const conditions: string[] = [];
  const where = (condition: (place: string) => string, ids: readonly string[] | undefined) => {
    if (ids !== undefined) conditions.push(`AND ${condition(`ANY ($${values.push(ids)}::uuid[])`)}`);
  };
  where((ids) => `key_id = ${ids}`, keyIds);
  where((ids) => `(key_id = ${ids} OR root_key_id = ${ids})`, keysAndBelow);
  where((ids) => `${unnamed ? 'coalesce(project_id, account_id)' : 'project_id'} = ${ids}`, projectIds);
  where((ids) => `owner_id = ${ids}`, ownerIds);
  return conditions.join(' ');
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
      SELECT $2::bigint AS start_ms, model, '' AS key_id, '' AS project_id, '' AS owner_id, sum(requests)::bigint AS requests,
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
  /** At least this or the model is given. */
  filter: UsageFilter;
  /** Undefined: any model. */
  model: string | undefined;
  /** The first and last hour to consider, Unix milliseconds. */
  fromMs: number;
  toMs: number;
}

/**
 * The latest hour in which a request of the model started that passes the narrowest part of the filter, which has an index:
 * keys, then owners, then projects. Undefined if there is none.
 */
export async function latestUsedHour(db: Queryable, query: UsedHours): Promise<number | undefined> {
  const { accountId, filter, model, fromMs, toMs } = query;
  const values: unknown[] = [accountId, fromMs, toMs];
  const ofModel = model === undefined ? '' : `AND u.model = $${values.push(model)}`;
  const latest = (condition: string, table = 'usage_hourly') => `
      SELECT u.start_ms FROM ledger.${table} u
      WHERE u.account_id = $1 AND u.start_ms >= $2 AND u.start_ms <= $3 ${condition} ${ofModel}
      ORDER BY u.start_ms DESC LIMIT 1`;
  const latestOfEach = (column: string, ids: string) =>
    `(SELECT max(hour.start_ms) AS start_ms FROM unnest(${ids}::uuid[]) AS k (id)
      CROSS JOIN LATERAL (${latest(`AND u.${column} = k.id`)}) hour)`;
  const moved = (column: string, ids: string) =>
    `(${latest(`AND u.${column} = ANY (${ids}::uuid[])`, 'usage_hourly_moved')})`;
  const hours = (): string[] => {
    const { keyIds, keysAndBelow, ownerIds, projectIds } = filter;
    const ids = keyIds ?? keysAndBelow ?? ownerIds ?? projectIds;
    if (ids === undefined) return [`(${latest('')})`];
    const given = `$${values.push(ids)}`;
    if (keyIds !== undefined) return [latestOfEach('key_id', given)];
    if (keysAndBelow !== undefined) return ['key_id', 'root_key_id'].map((column) => latestOfEach(column, given));
    if (ownerIds !== undefined) return [latestOfEach('owner_id', given), moved('owner_id', given)];
    // What was charged before charges named their projects is the default project's, which has the id of its account.
    const unnamed = ids.includes(accountId) ? [`(${latest('AND u.project_id IS NULL')})`] : [];
    return [latestOfEach('project_id', given), moved('project_id', given), ...unnamed];
  };
  const { rows } = await db.query<{ start_ms: bigint | null }>(
    `SELECT max(start_ms) AS start_ms FROM (${hours().join(' UNION ALL ')}) latest`,
    values,
  );
  const hour = rows[0]?.start_ms ?? null;
  return hour === null ? undefined : Number(hour);
}

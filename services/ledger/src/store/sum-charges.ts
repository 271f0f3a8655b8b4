import { idFloor } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { ChargeSum } from '@tollgate/proto/ledger';
import { pathConditions } from './path-conditions.ts';
import { MAX_START_SKEW_MS, type TimeRange } from './time.ts';
import type { UsageFilter } from './usage.ts';

/**
 * Maximum charges of a page. So few that reading the ordered index pays: for many, Postgres prefers to read and sort the whole
 * range.
 */
export const MAX_CHARGES = 2_000;

export interface ChargeSumQuery {
  accountId: string;
  /** Of the start of the request. */
  range: TimeRange;
  filter?: UsageFilter;
  /** The id after which the page begins; undefined for the first one. */
  after: string | undefined;
  /** Maximum charges that are read. */
  limit: number;
  /** Whether lines at prices of the account's own are told apart by their list rates, which are for operators. */
  withListRates: boolean;
}

export interface ChargeSumPage {
  sums: ChargeSum[];
  /** The last id that was read; undefined when there is nothing more to read. */
  next: string | undefined;
}

/** A group as JSON; lines as they are stored, and one without a bucket for what the customer did not pay. */
interface SumRow extends Pick<ChargeSum, 'model' | 'provider'> {
  key_id: string;
  key_name: string;
  price_version: string;
  discount_ppm: number;
  tags: Record<string, string> | null;
  lines: [bucket: string, quantity: string, rate: string, amount: string, listRate: string | null][];
}

const GROUP = 'key_id, key_name, model, provider, price_version, discount_ppm, tags';

/**
 * Sums a page of an account's charges, in the order of their ids. The bounds on the id limit what is read, as in a search; the
 * start itself decides.
 */
export async function sumCharges(
  db: Queryable,
  { accountId, range, filter = {}, after, limit, withListRates }: ChargeSumQuery,
): Promise<ChargeSumPage> {
  const first = idFloor(range.startMs - MAX_START_SKEW_MS);
  const values = [
    accountId,
    after ?? first,
    idFloor(range.endMs + MAX_START_SKEW_MS),
    range.startMs,
    range.endMs,
    withListRates,
  ];
  const ofPlace = pathConditions(filter, values, { unnamed: true }).map((condition) => `AND ${condition}`);
  // Not a named statement: the best plan depends on the range.
  const { rows } = await db.query<{ last: string | null; sums: SumRow[] }>(
    `WITH page AS MATERIALIZED (
       SELECT request_id, started_at_ms, cost_nanos, charged_nanos, lines, account_id, node_ids, ${GROUP}
       FROM ledger.charges
       WHERE account_id = $1 AND request_id > $2 AND request_id < $3 ORDER BY request_id LIMIT ${limit}
     ), sums AS (
       SELECT ${GROUP}, line.bucket, line.rate, line.list, sum(line.quantity) AS quantity, sum(line.amount) AS amount
       FROM page CROSS JOIN LATERAL (
         SELECT line ->> 0 AS bucket, (line ->> 1)::bigint AS quantity, (line ->> 2)::bigint AS rate,
                (line ->> 3)::bigint AS amount, CASE WHEN $6 THEN line ->> 4 END AS list
         FROM jsonb_array_elements(lines) AS e (line)
         UNION ALL SELECT '', 0, 0, charged_nanos - cost_nanos, NULL WHERE charged_nanos <> cost_nanos
       ) AS line
       WHERE started_at_ms >= $4 AND started_at_ms < $5 ${ofPlace.join(' ')}
       GROUP BY ${GROUP}, line.bucket, line.rate, line.list
     ), grouped AS (
       SELECT ${GROUP}, json_agg(json_build_array(bucket, quantity::text, rate::text, amount::text, list)) AS lines
       FROM sums GROUP BY ${GROUP}
     )
     SELECT (SELECT request_id FROM page ORDER BY request_id OFFSET ${limit - 1}) AS last,
            (SELECT coalesce(json_agg(grouped), '[]') FROM grouped) AS sums`,
    values,
  );
  return { sums: (rows[0]?.sums ?? []).map(sumFromRow), next: rows[0]?.last ?? undefined };
}

function sumFromRow({ key_id: keyId, key_name: keyName, model, provider, lines, ...row }: SumRow): ChargeSum {
  const amounts = lines.map(([, , , amount]) => BigInt(amount));
  return {
    keyId,
    keyName,
    model,
    provider,
    priceVersion: row.price_version,
    discountPpm: row.discount_ppm,
    tags: row.tags ?? {},
    chargedNanos: amounts.reduce((sum, amount) => sum + amount, 0n),
    lines: lines
      .filter(([bucket]) => bucket !== '')
      .map(([bucket, quantity, rate, amount, listRate]) => ({
        bucket,
        quantity: BigInt(quantity),
        rateNanosPerMillion: BigInt(rate),
        amountNanos: BigInt(amount),
        ...(listRate !== null && { listRateNanosPerMillion: BigInt(listRate) }),
      })),
  };
}

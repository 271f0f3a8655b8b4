import { lockName } from '@tollgate/common/postgres/lock-name';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { QUANTITIES, type Quantities, type Quantity } from '../provider-bills/bill.ts';
import type { ComparedDay } from '../provider-bills/compare-bill.ts';

/** The column of a quantity, without `billed_` or `metered_`. */
const COLUMNS: Readonly<Record<Quantity, string>> = {
  inputTokens: 'input_tokens',
  cacheReadTokens: 'cache_read_tokens',
  outputTokens: 'output_tokens',
  costNanos: 'cost_nanos',
};
const SIDES = ['billed', 'metered'] as const;
const SUM_COLUMNS = SIDES.flatMap((side) => QUANTITIES.map((quantity) => `${side}_${COLUMNS[quantity]}`));
const BIGINTS = ['requests', ...SUM_COLUMNS];

/** How long comparisons are kept. */
const KEEP_DAYS = 400;

interface Row {
  day: string;
  model: string;
  requests: bigint;
  differs: boolean;
  [column: string]: unknown;
}

const SELECT = `SELECT day::text, model, differs, ${BIGINTS.join(', ')} FROM console.provider_bills`;

/** Locks a provider's comparisons until the transaction ends, and reads some days. */
export async function lockBillDays(
  client: PoolClient,
  provider: string,
  days: readonly string[],
): Promise<ComparedDay[]> {
  await lockName(client, `console.provider_bills ${provider}`);
  const { rows } = await client.query<Row>(`${SELECT} WHERE provider = $1 AND day = ANY ($2::date[])`, [
    provider,
    days,
  ]);
  return rows.map(comparedDay);
}

/** Replaces a provider's comparisons of some days. */
export async function replaceBillDays(
  client: PoolClient,
  provider: string,
  days: readonly string[],
  compared: readonly ComparedDay[],
): Promise<void> {
  await client.query('DELETE FROM console.provider_bills WHERE provider = $1 AND day = ANY ($2::date[])', [
    provider,
    days,
  ]);
  const arrays = BIGINTS.map((_, index) => `$${index + 5}::bigint[]`).join(', ');
  await client.query(
    `INSERT INTO console.provider_bills (provider, day, model, differs, ${BIGINTS.join(', ')})
     SELECT $1, * FROM unnest($2::date[], $3::text[], $4::boolean[], ${arrays})`,
    [
      provider,
      compared.map(({ day }) => day),
      compared.map(({ model }) => model),
      compared.map(({ differs }) => differs),
      compared.map(({ requests }) => requests),
      ...SIDES.flatMap((side) => QUANTITIES.map((quantity) => compared.map((each) => each[side][quantity] ?? null))),
    ],
  );
}

/** A provider's comparisons from a day up to, and without, another one; the latest first. */
export async function listBillDays(
  db: Queryable,
  { provider, from, end, limit }: { provider: string; from: string; end: string; limit: number },
): Promise<ComparedDay[]> {
  const { rows } = await db.query<Row>(
    `${SELECT} WHERE provider = $1 AND day >= $2 AND day < $3 ORDER BY day DESC, model LIMIT $4`,
    [provider, from, end, limit],
  );
  return rows.map(comparedDay);
}

/** Days of models that differ since a day, by provider. */
export async function countBillDifferences(db: Queryable, from: string): Promise<Map<string, number>> {
  const { rows } = await db.query<{ provider: string; differing: number }>(
    `SELECT provider, count(*) FILTER (WHERE differs)::int AS differing FROM console.provider_bills
     WHERE day >= $1 GROUP BY provider`,
    [from],
  );
  return new Map(rows.map(({ provider, differing }) => [provider, differing]));
}

export async function deleteOldBillDays(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM console.provider_bills WHERE ctid = ANY (ARRAY (
       SELECT ctid FROM console.provider_bills WHERE day < current_date - ${KEEP_DAYS}
       ORDER BY day LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [limit],
  );
  return rowCount ?? 0;
}

function comparedDay(row: Row): ComparedDay {
  const { day, model, requests, differs } = row;
  return { day, model, requests, differs, billed: quantitiesOf(row, 'billed'), metered: quantitiesOf(row, 'metered') };
}

function quantitiesOf(row: Row, side: (typeof SIDES)[number]): Quantities {
  const quantities: Quantities = {};
  for (const quantity of QUANTITIES) {
    const value = row[`${side}_${COLUMNS[quantity]}`];
    if (typeof value === 'bigint') quantities[quantity] = value;
  }
  return quantities;
}

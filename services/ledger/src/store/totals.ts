import type { Queryable } from '@tollgate/common/postgres/pool';

/** Sums over all accounts, nano-dollars. */
export interface Totals {
  /** Available and leased. */
  balance: bigint;
  leased: bigint;
  receivable: bigint;
  revenue: bigint;
  loss: bigint;
}

/** Sums all balances: one row per account, however many charges it has. */
export async function readTotals(db: Queryable): Promise<Totals> {
  const { rows } = await db.query<Totals>({
    name: 'read-totals',
    text: `
      SELECT coalesce(sum(available + leased), 0)::bigint AS balance, coalesce(sum(leased), 0)::bigint AS leased,
             coalesce(-sum(receivable), 0)::bigint AS receivable, coalesce(sum(revenue), 0)::bigint AS revenue,
             coalesce(-sum(operator_loss), 0)::bigint AS loss
      FROM ledger.balances`,
  });
  const row = rows[0];
  if (row === undefined) throw new Error('an aggregate gave no row');
  return row;
}

/** Number of quarantined charges. */
export async function countQuarantined(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'count-quarantined',
    text: 'SELECT count(*) AS count FROM ledger.quarantine',
  });
  return rows[0]?.count ?? 0n;
}

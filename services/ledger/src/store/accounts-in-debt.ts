import type { Queryable } from '@tollgate/common/postgres/pool';

/** Accounts that owe money and have some available, in order, after the one named. */
export async function accountsInDebt(db: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>({
    name: 'accounts-in-debt',
    text: `
      SELECT account_id::text FROM ledger.balances b
      WHERE receivable < 0 AND available > 0 AND account_id > $1
      ORDER BY b.account_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

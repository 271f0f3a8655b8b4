import type { Queryable } from '@tollgate/common/postgres/pool';

/** Accounts of the ledger in order, after the one named. */
export async function listAccounts(db: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>({
    name: 'list-accounts',
    text: 'SELECT account_id::text FROM ledger.balances b WHERE account_id > $1 ORDER BY b.account_id LIMIT $2',
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

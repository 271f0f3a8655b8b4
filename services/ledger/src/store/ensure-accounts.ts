import type { Queryable } from '@tollgate/common/postgres/pool';

/** Makes the balances of accounts that have none yet, in order of account_id. */
export async function ensureAccounts(db: Queryable, accountIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'ensure-accounts',
    text: `
      INSERT INTO ledger.balances (account_id)
      SELECT account_id FROM unnest($1::uuid[]) AS a (account_id) ORDER BY account_id
      ON CONFLICT (account_id) DO NOTHING`,
    values: [accountIds],
  });
}

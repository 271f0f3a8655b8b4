import type { PoolClient } from '@tollgate/common/postgres/pool';

/** Makes the balance of an account that has none yet. */
export async function ensureAccount(client: PoolClient, accountId: string): Promise<void> {
  await client.query({
    name: 'ensure-account',
    text: 'INSERT INTO ledger.balances (account_id) VALUES ($1) ON CONFLICT (account_id) DO NOTHING',
    values: [accountId],
  });
}

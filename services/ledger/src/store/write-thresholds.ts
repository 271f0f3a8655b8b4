import type { PoolClient } from '@tollgate/common/postgres/pool';

/** Gives an account thresholds of its own. Its balance must be locked. */
export async function writeThresholds(
  client: PoolClient,
  accountId: string,
  thresholds: readonly bigint[],
): Promise<void> {
  await client.query({
    name: 'write-thresholds',
    text: `
      INSERT INTO ledger.thresholds (account_id, thresholds) VALUES ($1, $2)
      ON CONFLICT (account_id) DO UPDATE SET thresholds = excluded.thresholds`,
    values: [accountId, thresholds],
  });
}

/** Takes an account's own thresholds away. Its balance must be locked. */
export async function dropThresholds(client: PoolClient, accountId: string): Promise<void> {
  await client.query({
    name: 'drop-thresholds',
    text: 'DELETE FROM ledger.thresholds WHERE account_id = $1',
    values: [accountId],
  });
}

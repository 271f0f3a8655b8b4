import type { PoolClient } from '@tollgate/common/postgres/pool';

/** Accounts whose entries changed since they were last compared with their balance, in order, after the one named. */
export async function unverifiedAccounts(client: PoolClient, after: string, limit: number): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'unverified-accounts',
    text: `
      SELECT account_id::text FROM ledger.reconciled r WHERE touched_ms > verified_ms AND account_id > $1
      ORDER BY r.account_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

/** All accounts that have a balance or entries, in order, after the one named. */
export async function nextAccounts(client: PoolClient, after: string, limit: number): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'next-accounts',
    text: `
      SELECT account_id::text FROM (
        (SELECT account_id FROM ledger.balances WHERE account_id > $1 ORDER BY account_id LIMIT $2)
        UNION
        (SELECT account_id FROM ledger.reconciled WHERE account_id > $1 ORDER BY account_id LIMIT $2)
      ) a ORDER BY a.account_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

/** Notes that accounts were found to agree with their entries up to a time. */
export async function markVerified(client: PoolClient, accountIds: string[], untilMs: number): Promise<void> {
  await client.query({
    name: 'mark-verified',
    text: 'UPDATE ledger.reconciled SET verified_ms = $2 WHERE account_id = ANY ($1::uuid[]) AND touched_ms > verified_ms',
    values: [accountIds, untilMs],
  });
}

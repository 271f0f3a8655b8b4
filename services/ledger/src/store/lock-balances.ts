import type { PoolClient } from '@tollgate/common/postgres/pool';

export interface LockedBalances {
  /** Those of the accounts that the ledger knows. */
  known: ReadonlySet<string>;
  /** The database's clock, Unix milliseconds. */
  nowMs: bigint;
}

/**
 * Locks the balances of several accounts until the transaction ends. Always the first lock of a transaction, and always
 * in order of account_id, so that no two transactions wait for each other in a circle. Whoever holds it may also read and
 * change the accounts' leases, charges and roll-ups: nothing changes those without it.
 */
export async function lockBalances(client: PoolClient, accountIds: string[]): Promise<LockedBalances> {
  const { rows } = await client.query<{ known: string[] | null; now_ms: bigint }>({
    name: 'lock-balances',
    text: `
      WITH locked AS (
        SELECT account_id FROM ledger.balances WHERE account_id = ANY ($1::uuid[]) ORDER BY account_id FOR UPDATE
      )
      SELECT array_agg(account_id::text) AS known,
             floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
      FROM locked`,
    values: [accountIds],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('an aggregate gave no row');
  return { known: new Set(row.known ?? []), nowMs: row.now_ms };
}

import type { PoolClient } from '@tollgate/common/postgres/pool';

export interface AccountBalance {
  /** Prepaid and on no lease. */
  available: bigint;
  /** On leases of ingress sessions. */
  leased: bigint;
  /** What the account owes, 0n or more. */
  owed: bigint;
  /** Whether the account owes money: nothing is granted to it then. */
  suspended: boolean;
  /** The database's clock, Unix milliseconds. */
  nowMs: bigint;
}

/** Locks one account's balance until the transaction ends (see lockBalances); undefined for an unknown account. */
export async function lockBalance(client: PoolClient, accountId: string): Promise<AccountBalance | undefined> {
  const { rows } = await client.query<{ available: bigint; leased: bigint; owed: bigint; now_ms: bigint }>({
    name: 'lock-balance',
    text: `
      SELECT available, leased, -receivable AS owed,
             floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
      FROM ledger.balances WHERE account_id = $1 FOR UPDATE`,
    values: [accountId],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { available, leased, owed } = row;
  return { available, leased, owed, suspended: owed > 0n, nowMs: row.now_ms };
}

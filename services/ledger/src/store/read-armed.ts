import type { PoolClient } from '@tollgate/common/postgres/pool';
import { arrayText } from './array-text.ts';
import { highestFirst } from './read-thresholds.ts';

export interface ArmedAccount {
  accountId: string;
  /** Available and leased, nano-dollars. */
  balance: bigint;
  notifyBelow: bigint | null;
  /** The account's own, else those of all accounts; highest first. */
  thresholds: bigint[];
}

/** Reads what thresholds of accounts are judged by. The balances must be locked; unknown accounts are left out. */
export async function readArmed(client: PoolClient, accountIds: readonly string[]): Promise<ArmedAccount[]> {
  const { rows } = await client.query<{
    account_id: string;
    balance: bigint;
    notify_below: bigint | null;
    thresholds: string[];
  }>({
    name: 'read-armed',
    text: `
      SELECT b.account_id::text, b.available + b.leased AS balance, b.notify_below,
             coalesce(t.thresholds, d.thresholds) AS thresholds
      FROM ledger.balances b
      CROSS JOIN ledger.default_thresholds d
      LEFT JOIN ledger.thresholds t ON t.account_id = b.account_id
      WHERE b.account_id = ANY ($1::uuid[])`,
    values: [arrayText(accountIds)],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    balance: row.balance,
    notifyBelow: row.notify_below,
    thresholds: highestFirst(row.thresholds),
  }));
}

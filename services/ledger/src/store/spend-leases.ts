import type { PoolClient } from '@tollgate/common/postgres/pool';
import { arrayText } from './array-text.ts';

/** What a batch takes from one lease. */
export interface LeaseSpending {
  accountId: string;
  sessionId: string;
  amount: bigint;
}

/** Counts settled charges on their leases. The accounts' balances must be locked. */
export async function spendLeases(client: PoolClient, spendings: readonly LeaseSpending[]): Promise<void> {
  await client.query({
    name: 'spend-leases',
    text: `
      UPDATE ledger.leases l SET spent = l.spent + d.amount
      FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS d (account_id, session_id, amount)
      WHERE l.account_id = d.account_id AND l.session_id = d.session_id`,
    values: [
      arrayText(spendings.map((spending) => spending.accountId)),
      arrayText(spendings.map((spending) => spending.sessionId)),
      arrayText(spendings.map((spending) => spending.amount)),
    ],
  });
}

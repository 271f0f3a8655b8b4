import type { PoolClient } from '@tollgate/common/postgres/pool';
import { arrayText } from './array-text.ts';

/** What a batch moves on one account: cost goes to revenue, from the leases as far as charged, else from operator loss. */
export interface AccountCharge {
  accountId: string;
  charged: bigint;
  cost: bigint;
}

/**
 * Moves the charges of a batch. The balances must be locked.
 *
 * @returns the accounts whose balance is now at or under the threshold that its owner wants to hear of
 */
export async function chargeBalances(client: PoolClient, moves: readonly AccountCharge[]): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'charge-balances',
    text: `
      WITH charged AS (
        UPDATE ledger.balances b SET
          leased = b.leased - d.charged,
          operator_loss = b.operator_loss - (d.cost - d.charged),
          revenue = b.revenue + d.cost
        FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS d (account_id, charged, cost)
        WHERE b.account_id = d.account_id
        RETURNING b.account_id, b.available + b.leased <= b.notify_below AS low
      )
      SELECT account_id::text FROM charged WHERE low ORDER BY account_id`,
    values: [
      arrayText(moves.map((move) => move.accountId)),
      arrayText(moves.map((move) => move.charged)),
      arrayText(moves.map((move) => move.cost)),
    ],
  });
  return rows.map((row) => row.account_id);
}

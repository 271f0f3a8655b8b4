import type { PoolClient } from '@tollgate/common/postgres/pool';

/** Sets at which balance accounts are looked at next; null for never. The balances must be locked. */
export async function setNotifyBelow(
  client: PoolClient,
  changes: readonly { accountId: string; next: bigint | null }[],
): Promise<void> {
  await client.query({
    name: 'set-notify-below',
    text: `
      UPDATE ledger.balances b SET notify_below = c.next
      FROM unnest($1::uuid[], $2::bigint[]) AS c (account_id, next)
      WHERE b.account_id = c.account_id`,
    values: [changes.map((change) => change.accountId), changes.map((change) => change.next)],
  });
}

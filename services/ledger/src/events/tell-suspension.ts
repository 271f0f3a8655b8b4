import type { PoolClient } from '@tollgate/common/postgres/pool';
import { insertEvents } from '../store/insert-events.ts';
import type { AccountBalance } from '../store/lock-balance.ts';
import { accountSuspended, accountUnsuspended } from './event.ts';

/** Writes an event when an account came to owe money, or owes none any more, in the transaction that made it so. */
export async function tellSuspension(
  client: PoolClient,
  accountId: string,
  before: AccountBalance,
  after: AccountBalance,
): Promise<void> {
  if (before.suspended === after.suspended) return;
  const balance = after.available + after.leased;
  const event = after.suspended
    ? accountSuspended(accountId, after.owed, balance)
    : accountUnsuspended(accountId, balance);
  await insertEvents(client, [event], after.nowMs);
}

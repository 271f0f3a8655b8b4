import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { crossThresholds } from '../events/cross-thresholds.ts';
import { tellSuspension } from '../events/tell-suspension.ts';
import { accountsInDebt } from '../store/accounts-in-debt.ts';
import { lockBalance } from '../store/lock-balance.ts';
import { payDebt } from './pay-debt.ts';

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

const ACCOUNTS_AT_ONCE = 100;

/** Lets credit that came back from the leases of accounts that owe money pay their debts. */
export async function collectDebts(pool: Pool): Promise<void> {
  let after = BEFORE_ALL;
  for (;;) {
    const accounts = await accountsInDebt(pool, after, ACCOUNTS_AT_ONCE);
    for (const accountId of accounts) await collectDebt(pool, accountId);
    const last = accounts.at(-1);
    if (last === undefined || accounts.length < ACCOUNTS_AT_ONCE) return;
    after = last;
  }
}

/**
 * Lets an account's available credit pay what it owes; ends its suspension where that is all.
 *
 * @returns whether it owes money still
 */
export function collectDebt(pool: Pool, accountId: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const before = await lockBalance(client, accountId);
    if (before === undefined) return false;
    const after = await payDebt(client, accountId, before);
    if (after.owed < before.owed) {
      await tellSuspension(client, accountId, before, after);
      await crossThresholds(client, [accountId], before.nowMs);
    }
    return after.suspended;
  });
}

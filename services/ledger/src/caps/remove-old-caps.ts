import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { DAY_MS, MAX_CLOCK_SKEW_MS, MAX_START_SKEW_MS, monthStart } from '../request-time.ts';
import { lockBalances } from '../store/lock-balances.ts';
import { accountsWithOldCaps, removeCaps } from '../store/remove-old-caps.ts';

/** Accounts whose old caps are removed in one transaction: few enough that their settlements hardly wait. */
const ACCOUNTS_AT_ONCE = 100;

/** Transactions of one round; what is left is done by the next one. */
const MOST_STEPS = 1_000;

/**
 * Removes the caps of days and months of which no charge can come any more, as later ones go to quarantine. Several
 * replicas may do this at once. Where an ingress asks for a removed one again, it is made anew from the usage roll-up.
 *
 * @param maxAgeMs how old a charge may be
 * @returns how many caps were removed
 */
export async function removeOldCaps(pool: Pool, nowMs: number, maxAgeMs: number): Promise<number> {
  const oldestMs = nowMs - maxAgeMs - MAX_START_SKEW_MS - MAX_CLOCK_SKEW_MS;
  const dayBeforeMs = oldestMs - DAY_MS + 1;
  const monthBeforeMs = monthStart(oldestMs);
  let removed = 0;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const count = await inTransaction(pool, async (client) => {
      const accounts = await accountsWithOldCaps(client, dayBeforeMs, monthBeforeMs, ACCOUNTS_AT_ONCE);
      if (accounts.length === 0) return 0;
      await lockBalances(client, accounts);
      return removeCaps(client, accounts, dayBeforeMs, monthBeforeMs);
    });
    if (count === 0) break;
    removed += count;
  }
  return removed;
}

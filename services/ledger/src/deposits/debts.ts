import { BEFORE_ALL, newId } from '@tollgate/common/ids';
import { minBigInt } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { recordSuspensionChange } from '../events/account-events.ts';
import { crossThresholds } from '../events/thresholds.ts';
import type { LotBook } from '../lots/lot-book.ts';
import { accountsInDebt, type LockedBalance, lockBalance, moveToDebt } from '../store/balances.ts';
import { readLots, writeLots } from '../store/lots.ts';

/** The balance after available credit, for instance from returned leases, has paid the debt. */
export function withDebtPaid(balance: LockedBalance): LockedBalance {
  const paid = minBigInt(balance.available, balance.owed);
  const owed = balance.owed - paid;
  return { ...balance, available: balance.available - paid, owed, suspended: owed > 0n };
}

/** Pays debt out of available credit and its lots, so that no account has both. The balance must be locked. */
export async function payDebt(
  client: PoolClient,
  accountId: string,
  balance: LockedBalance,
  book: LotBook,
): Promise<LockedBalance> {
  const after = withDebtPaid(balance);
  const amount = balance.owed - after.owed;
  if (amount > 0n) {
    book.take(amount);
    await moveToDebt(client, { accountId, transferId: newId(), amount, nowMs: balance.nowMs });
  }
  return after;
}

const BATCH_SIZE = 100;

/** Pays the debts of accounts out of credit that was returned from their leases. */
export async function collectDebts(pool: Pool): Promise<void> {
  let after = BEFORE_ALL;
  for (;;) {
    const accounts = await accountsInDebt(pool, after, BATCH_SIZE);
    for (const accountId of accounts) await collectDebt(pool, accountId);
    const last = accounts.at(-1);
    if (last === undefined || accounts.length < BATCH_SIZE) return;
    after = last;
  }
}

/**
 * Pays an account's debt out of its available credit, and ends its suspension when all is paid.
 *
 * @returns whether it still owes money
 */
export function collectDebt(pool: Pool, accountId: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const before = await lockBalance(client, accountId);
    if (before === undefined) return false;
    if (withDebtPaid(before).owed === before.owed) return before.suspended;
    const book = await readLots(client, accountId);
    const after = await payDebt(client, accountId, before, book);
    await writeLots(client, accountId, book);
    await recordSuspensionChange(client, accountId, before, after);
    await crossThresholds(client, [accountId], before.nowMs);
    return after.suspended;
  });
}

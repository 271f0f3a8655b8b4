import { newId } from '@tollgate/common/ids';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { least } from '../least.ts';
import type { AccountBalance } from '../store/lock-balance.ts';
import { moveToDebt } from '../store/move-to-debt.ts';

/** The balance once available credit, such as came back from leases, has paid what the account owes. */
export function withDebtPaid(balance: AccountBalance): AccountBalance {
  const paid = least(balance.available, balance.owed);
  const owed = balance.owed - paid;
  return { ...balance, available: balance.available - paid, owed, suspended: owed > 0n };
}

/** Lets available credit pay what the account owes, so that nobody has credit and debt at once. The balance must be locked. */
export async function payDebt(client: PoolClient, accountId: string, balance: AccountBalance): Promise<AccountBalance> {
  const after = withDebtPaid(balance);
  const amount = balance.owed - after.owed;
  if (amount > 0n) {
    await moveToDebt(client, { accountId, transferId: newId(), amount, nowMs: balance.nowMs });
  }
  return after;
}

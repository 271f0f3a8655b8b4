import type { Pool } from '@tollgate/common/postgres/pool';
import type { Recalls } from '../recall/recalls.ts';
import { recallCredit } from '../recall/with-recall.ts';
import { withRetries } from '../store/retry.ts';
import { collectDebt } from './debts.ts';
import { type DepositInput, type DepositMade, makeDeposit, makeDepositIfAvailable } from './make-deposit.ts';

export interface DepositContext {
  pool: Pool;
  recalls: Recalls;
  /** Sessions whose last heartbeat is older are not asked for what they hold idle. */
  sessionTtlMs: number;
}

/**
 * As makeDeposit, but what is idle on leases is recalled before a debit is found to be larger than what is available; and
 * where the account owes money afterwards, the sessions that have credit of it are told to make no new hold, and what
 * they return in answer pays the debt.
 */
export async function depositWithRecall(context: DepositContext, input: DepositInput): Promise<DepositMade> {
  const { pool, recalls, sessionTtlMs } = context;
  const { accountId } = input;
  let made = await withRetries(() => makeDepositIfAvailable(pool, input));
  if (made === 'short') {
    await recallCredit(pool, recalls, accountId, { suspended: false, sessionTtlMs });
    made = await withRetries(() => makeDeposit(pool, input));
  }
  if (made.suspended && input.amountNanos < 0n) {
    await recallCredit(pool, recalls, accountId, { suspended: true, sessionTtlMs });
    await withRetries(() => collectDebt(pool, accountId));
  }
  return made;
}

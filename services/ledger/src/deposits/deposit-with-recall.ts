import type { Pool } from '@tollgate/common/postgres/pool';
import type { Recalls } from '../recall/recalls.ts';
import { recallCredit } from '../recall/with-recall.ts';
import { withRetries } from '../store/retry.ts';
import { collectDebt } from './debts.ts';
import { type DepositInput, type DepositMade, makeDeposit, makeDepositIfAvailable } from './make-deposit.ts';

export interface DepositContext {
  pool: Pool;
  recalls: Recalls;
  /** Sessions whose last heartbeat is older are not asked for idle credit. */
  sessionTtlMs: number;
}

/**
 * As makeDeposit, but recalls idle credit from leases before it decides that a debit exceeds the available balance. If the
 * account owes money afterwards, the sessions with credit of it are asked to make no new hold, and what they return pays
 * the debt.
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

import { BEFORE_ALL, newId } from '@tollgate/common/ids';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { lockBalances } from '../store/balances.ts';
import { freeCapLeases } from '../store/ceiling-leases.ts';
import { accountsWithCredit, freeLeases } from '../store/leases.ts';
import { fenceSession, finishSession } from '../store/sessions.ts';

/** Maximum accounts in one transaction: few enough that their settlements hardly wait. */
const BATCH_SIZE = 200;

/** Ends a session for good and frees the remaining credit of its leases. Idempotent. */
export async function closeSession(pool: Pool, sessionId: string): Promise<void> {
  await fenceSession(pool, sessionId);
  await freeSession(pool, sessionId);
}

/**
 * Frees the remaining credit of a fenced session's leases and its parts of spending caps, in batches of accounts, and marks
 * it finished. If this is interrupted, the sweeper does the rest.
 *
 * @returns the nano-dollars freed
 */
export async function freeSession(pool: Pool, sessionId: string): Promise<bigint> {
  let freed = 0n;
  let after = BEFORE_ALL;
  for (;;) {
    const step = await inTransaction(pool, async (client) => {
      const accounts = await accountsWithCredit(client, sessionId, after, BATCH_SIZE);
      if (accounts.length === 0) return undefined;
      const { nowMs } = await lockBalances(client, accounts);
      const amount = await freeLeases(client, sessionId, accounts, accounts.map(newId), nowMs);
      await freeCapLeases(client, sessionId, accounts);
      return { amount, last: accounts.at(-1) ?? after };
    });
    if (step === undefined) break;
    freed += step.amount;
    after = step.last;
  }
  await finishSession(pool, sessionId);
  return freed;
}

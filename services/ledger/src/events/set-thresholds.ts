import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { ensureAccounts } from '../store/ensure-accounts.ts';
import { lockBalance } from '../store/lock-balance.ts';
import { type KnownThresholds, readThresholds } from '../store/read-thresholds.ts';
import { dropThresholds, writeThresholds } from '../store/write-thresholds.ts';
import { crossThresholds } from './cross-thresholds.ts';

/** Most that an account may have. */
export const MOST_THRESHOLDS = 10;

/**
 * Gives an account thresholds of its own. Those at or above its balance are no event now; they are armed by a deposit
 * that lifts the balance above them.
 *
 * @param thresholds nano-dollars; undefined: those of all accounts hold again
 */
export function setThresholds(
  pool: Pool,
  accountId: string,
  thresholds: readonly bigint[] | undefined,
): Promise<KnownThresholds> {
  return inTransaction(pool, async (client) => {
    await ensureAccounts(client, [accountId]);
    const balance = await lockBalance(client, accountId);
    if (balance === undefined) throw new Error('an account that was just made is not there');
    if (thresholds === undefined) await dropThresholds(client, accountId);
    else await writeThresholds(client, accountId, thresholds);
    await crossThresholds(client, [accountId], balance.nowMs);
    return readThresholds(client, accountId);
  });
}

import type { Logger } from '@tollgate/common/logging';
import { formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { lockArming, readArming, setArming, writeDefaultThresholds } from '../store/default-thresholds.ts';
import { listAccounts } from '../store/list-accounts.ts';
import { lockBalances } from '../store/lock-balances.ts';
import { crossThresholds } from './cross-thresholds.ts';

/** Accounts armed in one transaction: few enough that their settlements hardly wait. */
const ACCOUNTS_AT_ONCE = 200;

/**
 * Makes these the thresholds of all accounts without their own, and has accounts armed anew where they were others.
 *
 * @param thresholds nano-dollars
 */
export async function useDefaultThresholds(pool: Pool, thresholds: readonly bigint[], logger: Logger): Promise<void> {
  const changed = await writeDefaultThresholds(pool, thresholds);
  if (changed) logger.info({ usd: thresholds.map(formatDollars) }, 'low-balance thresholds of all accounts changed');
}

/**
 * Arms accounts after the thresholds of all accounts changed: goes on where any replica stopped, and does nothing once
 * all accounts are through.
 */
export async function armDefaultThresholds(pool: Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const after = await readArming(pool);
    if (after === undefined) return;
    const accounts = await listAccounts(pool, after, ACCOUNTS_AT_ONCE);
    const next = accounts.length < ACCOUNTS_AT_ONCE ? undefined : accounts.at(-1);
    await inTransaction(pool, async (client) => {
      const { nowMs } = await lockBalances(client, accounts);
      // Another replica was here meanwhile, or the thresholds changed again.
      if ((await lockArming(client)) !== after) return;
      await crossThresholds(client, accounts, nowMs);
      await setArming(client, next);
    });
  }
}

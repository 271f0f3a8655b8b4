import type { Logger } from '@tollgate/common/logging';
import { formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { ensureAccounts, listAccounts, lockBalance, lockBalances, setNotifyBelow } from '../store/balances.ts';
import { insertEvents } from '../store/events.ts';
import {
  dropThresholds,
  type KnownThresholds,
  lockRearmProgress,
  readRearmProgress,
  readThresholdStates,
  readThresholds,
  writeDefaultThresholds,
  writeRearmProgress,
  writeThresholds,
} from '../store/thresholds.ts';
import { balanceLow } from './account-events.ts';

/**
 * Brings accounts' thresholds in step with their balances: an event for each one that a balance fell to or below since
 * the last time, and notify_below set to the highest that is still below it. So each crossing is told once, and a
 * threshold is armed again only by a balance that rose above it. To be called in the transaction that changed the
 * balances, which must be locked; on charges only where the balance is at notify_below or lower.
 */
export async function crossThresholds(client: PoolClient, accountIds: readonly string[], nowMs: bigint): Promise<void> {
  const accounts = await readThresholdStates(client, accountIds);
  const events = accounts.flatMap(({ accountId, balance, notifyBelow, thresholds }) =>
    thresholds
      .filter((threshold) => notifyBelow !== null && threshold <= notifyBelow && balance <= threshold)
      .map((threshold) => balanceLow(accountId, threshold, balance)),
  );
  if (events.length > 0) await insertEvents(client, events, nowMs);
  const changed = accounts
    .map((account) => ({ ...account, next: highestBelow(account.thresholds, account.balance) }))
    .filter(({ next, notifyBelow }) => next !== notifyBelow);
  if (changed.length > 0) await setNotifyBelow(client, changed);
}

/** @param thresholds highest first */
function highestBelow(thresholds: readonly bigint[], balance: bigint): bigint | null {
  return thresholds.find((threshold) => threshold < balance) ?? null;
}

/** Most that an account may have. */
export const MAX_THRESHOLDS = 10;

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

/** Accounts armed in one transaction: few enough that their settlements hardly wait. */
const BATCH_SIZE = 200;

/**
 * Makes these the thresholds of all accounts without their own, and has accounts armed anew where they were others.
 *
 * @param thresholds nano-dollars
 */
export async function saveDefaultThresholds(pool: Pool, thresholds: readonly bigint[], logger: Logger): Promise<void> {
  const changed = await writeDefaultThresholds(pool, thresholds);
  if (changed) logger.info({ usd: thresholds.map(formatDollars) }, 'low-balance thresholds of all accounts changed');
}

/**
 * Arms accounts after the thresholds of all accounts changed: goes on where any replica stopped, and does nothing once
 * all accounts are through.
 */
export async function applyDefaultThresholds(pool: Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const after = await readRearmProgress(pool);
    if (after === undefined) return;
    const accounts = await listAccounts(pool, after, BATCH_SIZE);
    const next = accounts.length < BATCH_SIZE ? undefined : accounts.at(-1);
    await inTransaction(pool, async (client) => {
      const { nowMs } = await lockBalances(client, accounts);
      // Another replica was here meanwhile, or the thresholds changed again.
      if ((await lockRearmProgress(client)) !== after) return;
      await crossThresholds(client, accounts, nowMs);
      await writeRearmProgress(client, next);
    });
  }
}

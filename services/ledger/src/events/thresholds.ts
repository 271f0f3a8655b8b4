import type { Actor } from '@tollgate/common/actors/token';
import { insertAudit } from '@tollgate/common/audit/audit-log';
import type { Logger } from '@tollgate/common/logging';
import { CURRENCY, formatDollars } from '@tollgate/common/money';
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
 * Updates the threshold state of accounts after their balances changed: records an event for each threshold that a balance
 * fell to or below since the last call, and sets notify_below to the highest threshold below the balance. Each crossing is
 * thus reported once, and again only after the balance rose above the threshold. Call it in the transaction that changed
 * the balances, which must be locked; after charges only where the balance is at notify_below or lower.
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

/** Maximum thresholds of an account. */
export const MAX_THRESHOLDS = 10;

/**
 * Sets an account's own thresholds. Those at or above its balance cause no event now, but once a deposit has lifted the
 * balance above them and it falls again.
 *
 * @param thresholds nano-dollars; undefined: use the default ones again
 * @param actor who sets them; recorded in the audit log
 */
export function setThresholds(
  pool: Pool,
  accountId: string,
  thresholds: readonly bigint[] | undefined,
  actor?: Actor,
): Promise<KnownThresholds> {
  return inTransaction(pool, async (client) => {
    await ensureAccounts(client, [accountId]);
    const balance = await lockBalance(client, accountId);
    if (balance === undefined) throw new Error('an account that was just created does not exist');
    if (thresholds === undefined) await dropThresholds(client, accountId);
    else await writeThresholds(client, accountId, thresholds);
    await crossThresholds(client, [accountId], balance.nowMs);
    const known = await readThresholds(client, accountId);
    if (actor !== undefined) {
      const details = { ...thresholdDetails(known), own: String(known.own) };
      await insertAudit('ledger', client, actor, {
        accountId,
        action: 'thresholds.update',
        targetId: accountId,
        targetName: '',
        details,
      });
    }
    return known;
  });
}

function thresholdDetails({ thresholds }: KnownThresholds): Record<string, string> {
  return { thresholds: thresholds.map(formatDollars).join(', '), currency: CURRENCY };
}

/** Accounts updated in one transaction: few enough that their settlements hardly wait. */
const BATCH_SIZE = 200;

/**
 * Saves the thresholds of all accounts without their own. If they changed, applyDefaultThresholds updates the accounts.
 *
 * @param thresholds nano-dollars
 */
export async function saveDefaultThresholds(pool: Pool, thresholds: readonly bigint[], logger: Logger): Promise<void> {
  const changed = await writeDefaultThresholds(pool, thresholds);
  if (changed) logger.info({ usd: thresholds.map(formatDollars) }, 'default low-balance thresholds changed');
}

/**
 * Updates the threshold state of all accounts after the default thresholds changed. Continues where any replica stopped, and
 * does nothing once all accounts are done.
 */
export async function applyDefaultThresholds(pool: Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const after = await readRearmProgress(pool);
    if (after === undefined) return;
    const accounts = await listAccounts(pool, after, BATCH_SIZE);
    const next = accounts.length < BATCH_SIZE ? undefined : accounts.at(-1);
    await inTransaction(pool, async (client) => {
      const { nowMs } = await lockBalances(client, accounts);
      // Another replica has done this batch, or the thresholds changed again.
      if ((await lockRearmProgress(client)) !== after) return;
      await crossThresholds(client, accounts, nowMs);
      await writeRearmProgress(client, next);
    });
  }
}

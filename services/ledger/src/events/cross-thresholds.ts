import type { PoolClient } from '@tollgate/common/postgres/pool';
import { insertEvents } from '../store/insert-events.ts';
import { readArmed } from '../store/read-armed.ts';
import { setNotifyBelow } from '../store/set-notify-below.ts';
import { balanceLow } from './event.ts';

/**
 * Brings accounts' thresholds in step with their balances: an event for each one that a balance fell to or below since
 * the last time, and notify_below set to the highest that is still below it. So each crossing is told once, and a
 * threshold is armed again only by a balance that rose above it. To be called in the transaction that changed the
 * balances, which must be locked; on charges only where the balance is at notify_below or lower.
 */
export async function crossThresholds(client: PoolClient, accountIds: readonly string[], nowMs: bigint): Promise<void> {
  const accounts = await readArmed(client, accountIds);
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

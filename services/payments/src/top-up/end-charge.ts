import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { lockAccount } from '../store/accounts.ts';
import { type CrossingOutcome, type CrossingRow, endCrossing } from '../store/crossings.ts';
import { failPayment } from '../store/payments.ts';
import { findTopUp, type Pause, recordPause, type TopUp } from '../store/top-ups.ts';
import { isPaused } from './decide.ts';
import { pauseTopUp } from './pause.ts';

/** How a charge ended, and what follows. */
export interface Ending {
  outcome: CrossingOutcome;
  /** Why nothing was paid; undefined: it was. */
  failure: string | undefined;
  /** @param declines in a row before */
  pause: (declines: number, nowMs: number) => Pause | undefined;
  isDecline: boolean;
}

/** Ends a crossing with its payment, once. @returns false if it had ended */
export function endCharge(
  { pool, now }: { pool: Pool; now: () => number },
  crossing: CrossingRow,
  ending: Ending,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await lockAccount(client, crossing.account_id);
    const nowMs = now();
    if (!(await endCrossing(client, crossing, ending.outcome, nowMs))) return false;
    if (ending.failure !== undefined) await failPayment(client, crossing, ending.failure);
    const topUp = await findTopUp(client, crossing.account_id);
    if (topUp !== undefined) await follow(client, topUp, crossing, ending, nowMs);
    return true;
  });
}

async function follow(
  client: PoolClient,
  topUp: TopUp,
  { method_id, amount_nanos: amountNanos }: CrossingRow,
  { outcome, pause, isDecline }: Ending,
  nowMs: number,
): Promise<void> {
  const { accountId, declines } = topUp;
  if (outcome === 'settled') {
    // A pause that ended by itself ended well, too.
    const stays = isPaused(topUp.pause, nowMs) ? topUp.pause : undefined;
    return recordPause(client, accountId, { declines: 0, pause: stays });
  }
  const next = pause(declines, nowMs);
  // What became of another card, or of a top-up that is paused already, says nothing.
  if (next === undefined || topUp.rule.methodId !== method_id || isPaused(topUp.pause, nowMs)) return;
  return pauseTopUp(client, topUp, { pause: next, declines: isDecline ? declines + 1 : declines, amountNanos, nowMs });
}

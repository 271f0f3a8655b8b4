import { insertEvent } from '@tollgate/common/events/event-log';
import { formatDollars } from '@tollgate/common/money';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { dropUnasked } from '../store/crossings.ts';
import { hadPauseEvent } from '../store/events.ts';
import { findTopUp, type Pause, recordPause, type TopUp } from '../store/top-ups.ts';
import { CONFIRM_WITHIN_MS } from './charge-end.ts';

/** A pause of an hour that follows another one tells nothing new. */
const TELL_AGAIN_MS = 24 * 3_600_000;

/** Pauses an automatic top-up and tells people why. The account must be locked, and nothing may follow in the transaction. */
export async function pauseTopUp(
  client: PoolClient,
  { accountId, rule }: TopUp,
  { pause, declines, amountNanos, nowMs }: { pause: Pause; declines: number; amountNanos?: bigint; nowMs: number },
): Promise<void> {
  await recordPause(client, accountId, { declines, pause });
  const { reason, untilMs, crossing, failure } = pause;
  if (reason === 'daily_limit' && (await hadPauseEvent(client, { accountId, reason, withinMs: TELL_AGAIN_MS }))) return;
  await insertEvent('payments', client, {
    accountId,
    type: 'top_up.paused',
    data: {
      reason,
      method: rule.method,
      monthly_max: formatDollars(rule.monthlyMaxNanos),
      ...(amountNanos === undefined ? {} : { amount: formatDollars(amountNanos) }),
      ...(failure === undefined ? {} : { failure }),
      ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
      ...(crossing === undefined
        ? {}
        : { number: crossing.toString(), confirm_until: new Date(nowMs + CONFIRM_WITHIN_MS).toISOString() }),
    },
  });
}

/** Pauses the automatic top-up that charges a card which is removed. The account must be locked, and nothing may follow. */
export async function pauseWithoutCard(
  client: PoolClient,
  accountId: string,
  methodId: string,
  nowMs: number,
): Promise<void> {
  const topUp = await findTopUp(client, accountId);
  if (topUp?.rule.methodId !== methodId) return;
  await dropUnasked(client, accountId, nowMs);
  const pause = { reason: 'card_removed', untilMs: undefined, crossing: undefined, failure: undefined } as const;
  await pauseTopUp(client, topUp, { pause, declines: 0, nowMs });
}

import { type AutomaticTopUp, AutomaticTopUpState, PauseReason } from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import { lastCrossing } from '../store/crossings.ts';
import { findTopUp, type PauseReason as Reason, sumAutomatic } from '../store/top-ups.ts';
import { confirmationOf } from '../top-up/confirmation.ts';
import { isPaused, monthStart } from '../top-up/decide.ts';

const REASONS: Readonly<Record<Reason, PauseReason>> = {
  confirmation: PauseReason.CONFIRMATION,
  declined: PauseReason.DECLINED,
  retry: PauseReason.RETRY,
  card_removed: PauseReason.CARD_REMOVED,
  monthly_max: PauseReason.MONTHLY_MAX,
  daily_limit: PauseReason.DAILY_LIMIT,
  dispute: PauseReason.DISPUTE,
  refused: PauseReason.REFUSED,
};

/** The automatic top-up of an account as callers see it. */
export async function topUpMessage(
  { pool, config, now }: Pick<Dependencies, 'pool' | 'config' | 'now'>,
  accountId: string,
): Promise<AutomaticTopUp> {
  const nowMs = now();
  const topUp = await findTopUp(pool, accountId);
  const isCharging = (await lastCrossing(pool, accountId))?.state === 'open';
  const pause = topUp !== undefined && isPaused(topUp.pause, nowMs) ? topUp.pause : undefined;
  return {
    accountId,
    state: stateOf({ isOn: topUp !== undefined, isCharging, isPaused: pause !== undefined }),
    offered: !config.STRIPE_TAX,
    rule: topUp?.rule,
    pauseReason: pause === undefined ? PauseReason.UNSPECIFIED : REASONS[pause.reason],
    resumesAtMs: BigInt(pause?.untilMs ?? 0),
    failure: pause?.failure ?? '',
    confirm: await confirmation(pool, topUp, nowMs),
    monthNanos: await sumAutomatic(pool, accountId, monthStart(nowMs)),
  };
}

async function confirmation(...parameters: Parameters<typeof confirmationOf>): Promise<AutomaticTopUp['confirm']> {
  const found = await confirmationOf(...parameters);
  return found && { ...found, untilMs: BigInt(found.untilMs) };
}

function stateOf(is: { isOn: boolean; isCharging: boolean; isPaused: boolean }): AutomaticTopUpState {
  if (is.isCharging) return AutomaticTopUpState.CHARGING;
  if (!is.isOn) return AutomaticTopUpState.OFF;
  return is.isPaused ? AutomaticTopUpState.PAUSED : AutomaticTopUpState.ON;
}

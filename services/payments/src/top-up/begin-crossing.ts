import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { PaymentsConfig } from '../config.ts';
import { limitTimes } from '../limits/check-limits.ts';
import { dailyLimit } from '../limits/daily-limit.ts';
import { customerOf, lockAccount, readPaidIn } from '../store/accounts.ts';
import { insertCrossing, lastCrossing, lastNumber } from '../store/crossings.ts';
import { insertPayment } from '../store/payments.ts';
import { findTopUp, hasOpenDispute, type Pause, sumAutomatic, type TopUp, type Watched } from '../store/top-ups.ts';
import type { LedgerBalance } from './balances.ts';
import { decide, monthStart } from './decide.ts';
import { pauseTopUp } from './pause.ts';

/** Who makes automatic payments, as the ledger and the console show it. */
export const AUTOMATIC = 'automatic top-up';

export interface CrossingDependencies {
  config: Pick<PaymentsConfig, 'PAYMENT_MIN' | 'PAYMENT_MAX' | 'PAYMENT_DAILY_LIMIT'>;
  pool: Pool;
  now: () => number;
}

/**
 * Records that a balance fell to its threshold, with the amount to charge, or pauses. Does nothing if anything has happened since
 * `watched` was read: the balance was asked for after that, so a charge that had ended by then is part of it, and one that has
 * not ended is credit to come.
 *
 * @returns whether a charge is to be made
 */
export function beginCrossing(deps: CrossingDependencies, watched: Watched, balance: LedgerBalance): Promise<boolean> {
  const { pool } = deps;
  const { accountId } = watched;
  return inTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const topUp = await findTopUp(client, accountId);
    const last = await lastCrossing(client, accountId);
    const isUnchanged = topUp?.revision === watched.revision && (last?.number ?? 0n) === watched.lastNumber;
    if (topUp === undefined || !isUnchanged || last?.state === 'open') return false;
    return begin(deps, client, topUp, balance);
  });
}

async function begin(
  { config, now }: CrossingDependencies,
  client: PoolClient,
  topUp: TopUp,
  balance: LedgerBalance,
): Promise<boolean> {
  const { accountId, rule, declines } = topUp;
  const nowMs = now();
  const decision = decide({
    nowMs,
    rule,
    pause: topUp.pause,
    isCharging: false,
    ...balance,
    hasOpenDispute: await hasOpenDispute(client, accountId),
    monthNanos: await sumAutomatic(client, accountId, monthStart(nowMs)),
    dailyLeftNanos: dailyLimit(config.PAYMENT_DAILY_LIMIT, await readPaidIn(client, accountId, limitTimes(nowMs)))
      .leftNanos,
    bounds: { minNanos: config.PAYMENT_MIN, maxNanos: config.PAYMENT_MAX },
  });
  const pauseFor = (reason: Pause['reason'], untilMs: number | undefined) =>
    pauseTopUp(client, topUp, {
      pause: { reason, untilMs, crossing: undefined, failure: undefined },
      declines,
      nowMs,
    });
  switch (decision.do) {
    case 'nothing':
      return false;
    case 'pause':
      await pauseFor(decision.reason, decision.untilMs);
      return false;
    case 'charge': {
      const customerId = await customerOf(client, accountId);
      if (customerId === undefined) {
        await pauseFor('card_removed', undefined);
        return false;
      }
      const { amountNanos } = decision;
      const crossing = { accountId, number: (await lastNumber(client, accountId)) + 1n, paymentId: newId() };
      const { balanceNanos } = balance;
      const { methodId } = rule;
      await insertCrossing(client, {
        ...crossing,
        balanceNanos,
        amountNanos,
        customerId,
        methodId,
        crossedAtMs: nowMs,
      });
      await insertPayment(client, {
        ...crossing,
        idempotencyKey: undefined,
        amountNanos,
        saveMethod: false,
        crossing: crossing.number,
        createdBy: AUTOMATIC,
        createdById: '',
        clientNetwork: undefined,
        createdAtMs: nowMs,
        // Its crossing is gone on with until the provider is known to have it.
        nextCheckMs: undefined,
      });
      return true;
    }
    default:
      return decision satisfies never;
  }
}

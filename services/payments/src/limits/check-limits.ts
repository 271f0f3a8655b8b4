import { RpcError } from '@tollgate/common/errors';
import { formatDollars } from '@tollgate/common/money';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { PaymentsConfig } from '../config.ts';
import { readPaidIn } from '../store/accounts.ts';
import { countBegun, lockPersonAndNetwork, type OfSubjects, readNthFailures, type Subjects } from '../store/limits.ts';
import { dailyLimit, LIMIT_PERIOD_MS, PROVEN_AFTER_MS } from './daily-limit.ts';
import { FAILED_CARDS_MS, MAX_FAILED_CARDS, refusalOf } from './failed-cards.ts';

const HOUR_MS = 3_600_000;

/** Payments that can be begun within an hour. */
export const MAX_BEGUN: OfSubjects<number> = { account: 10, person: 20, network: 40 };

const WHO: OfSubjects<string> = { account: 'an account', person: 'a person', network: 'a network' };

/** The time since which begun payments count. */
export function begunSinceMs(nowMs: number): number {
  return nowMs - HOUR_MS;
}

/** The times that the daily limit depends on. */
export function limitTimes(nowMs: number): { oldBeforeMs: number; recentSinceMs: number } {
  return { oldBeforeMs: nowMs - PROVEN_AFTER_MS, recentSinceMs: nowMs - LIMIT_PERIOD_MS };
}

/** Refuses a payment beyond the limits. The account must be locked: they hold until the transaction ends. */
export async function checkLimits(
  { PAYMENT_DAILY_LIMIT: baseNanos }: Pick<PaymentsConfig, 'PAYMENT_DAILY_LIMIT'>,
  client: PoolClient,
  subjects: Subjects,
  amountNanos: bigint,
  nowMs: number,
): Promise<void> {
  await lockPersonAndNetwork(client, subjects);
  const begun = await countBegun(client, subjects, begunSinceMs(nowMs));
  for (const subject of ['account', 'person', 'network'] as const) {
    if (begun[subject] < MAX_BEGUN[subject]) continue;
    throw new RpcError('resource_exhausted', `${WHO[subject]} can begin ${MAX_BEGUN[subject]} payments an hour`);
  }
  const refusal = refusalOf(await readNthFailures(client, subjects, nowMs - FAILED_CARDS_MS, MAX_FAILED_CARDS));
  if (refusal !== undefined) throw new RpcError('failed_precondition', refusal.reason);
  const { leftNanos } = dailyLimit(baseNanos, await readPaidIn(client, subjects.accountId, limitTimes(nowMs)));
  if (amountNanos > leftNanos) {
    const left = formatDollars(leftNanos);
    throw new RpcError('failed_precondition', `amount_nanos: the account may pay in ${left} USD more within 24 hours`);
  }
}

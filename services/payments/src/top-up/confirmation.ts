import { RpcError } from '@tollgate/common/errors';
import { formatDollars } from '@tollgate/common/money';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { type CrossingRow, findCrossing } from '../store/crossings.ts';
import type { TopUp } from '../store/top-ups.ts';
import { findTopUp } from '../store/top-ups.ts';
import { CONFIRM_WITHIN_MS } from './charge-end.ts';

/** A charge that its cardholder can still confirm. */
export interface Confirmation {
  number: bigint;
  amountNanos: bigint;
  untilMs: number;
}

/** What is to be confirmed of an automatic top-up. */
export async function confirmationOf(
  db: Queryable,
  topUp: TopUp | undefined,
  nowMs: number,
): Promise<Confirmation | undefined> {
  const number = topUp?.pause?.reason === 'confirmation' ? topUp.pause.crossing : undefined;
  const crossing = topUp && number && (await findCrossing(db, topUp.accountId, number));
  return crossing ? confirmable(crossing, nowMs) : undefined;
}

function confirmable({ number, amount_nanos, ended_at_ms }: CrossingRow, nowMs: number): Confirmation | undefined {
  const untilMs = Number(ended_at_ms) + CONFIRM_WITHIN_MS;
  return nowMs < untilMs ? { number, amountNanos: amount_nanos, untilMs } : undefined;
}

/** @throws RpcError unless this charge of the account can be confirmed now, by a payment of its amount */
export async function requireConfirmation(
  db: Queryable,
  sought: { accountId: string; confirms: bigint; amountNanos: bigint; nowMs: number },
): Promise<void> {
  const { accountId, confirms, amountNanos, nowMs } = sought;
  const confirmation = await confirmationOf(db, await findTopUp(db, accountId), nowMs);
  if (confirmation?.number !== confirms) {
    throw new RpcError('failed_precondition', 'confirms: there is no such payment to confirm, or a day has passed');
  }
  if (confirmation.amountNanos === amountNanos) return;
  const amount = formatDollars(confirmation.amountNanos);
  throw new RpcError('invalid_argument', `amount_nanos: must be ${amount} USD, what is to be confirmed`);
}

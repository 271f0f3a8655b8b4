import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { proportion } from '../money.ts';
import { takeOfOwnRefund } from '../movements/plan-movements.ts';
import { leftOf, sumsOf } from '../movements/sums.ts';
import { insertMovement, movementsOf, type RecordedMovement } from '../store/movements.ts';
import { lockPayment } from '../store/payments.ts';
import { findRefund, findRefundByKey, insertRefund, type RefundRow } from '../store/refunds.ts';

export interface RefundRequest {
  accountId: string;
  paymentId: string;
  amountNanos: bigint;
  reason: string;
  idempotencyKey: string;
  actor: Actor;
}

/** The reconciler continues a refund that nobody else did by then. */
const FIRST_TRY_MS = 60_000;

/** Records a refund of what is left of a settled payment, or finds the one with the same idempotency key. */
export function beginRefund(pool: Pool, request: RefundRequest, nowMs: number): Promise<RefundRow> {
  return inTransaction(pool, async (client) => {
    const { accountId, paymentId, amountNanos, idempotencyKey } = request;
    const payment = await lockPayment(client, accountId, paymentId);
    if (payment === undefined) throw new RpcError('not_found', 'payment_id: the account has no such payment');
    const known = await findRefundByKey(client, accountId, idempotencyKey);
    if (known !== undefined) return sameRefund(known, request);
    if (payment.state !== 'settled') throw new RpcError('failed_precondition', 'the payment is not settled');
    const movements = await movementsOf(client, accountId, [paymentId]);
    return insertNew(client, request, centsToRefund(movements, amountNanos), nowMs);
  });
}

function sameRefund(known: RefundRow, { paymentId, amountNanos, reason }: RefundRequest): RefundRow {
  const isSame = known.payment_id === paymentId && known.amount_nanos === amountNanos && known.reason === reason;
  if (!isSame) throw new RpcError('already_exists', 'idempotency_key: was used with different input');
  return known;
}

/** What of the payment goes back with the credit: with the last credit, all that is left. */
function centsToRefund(movements: readonly RecordedMovement[], amountNanos: bigint): bigint {
  const sums = sumsOf(movements);
  const left = leftOf(sums);
  if (amountNanos > left) {
    throw new RpcError('failed_precondition', `amount_nanos: ${formatDollars(left)} USD of the payment are left`);
  }
  const deposit = movements.find(({ kind }) => kind === 'deposit');
  if (deposit === undefined) throw new Error('a settled payment has no deposit');
  const takenNanos = deposit.amountNanos - left;
  const takenCents = movements.reduce((total, { amountNanos: moved, providerCents, key }) => {
    if (key === deposit.key) return total;
    return moved < 0n ? total + providerCents : total - providerCents;
  }, 0n);
  const cents = proportion(deposit.providerCents, takenNanos + amountNanos, deposit.amountNanos) - takenCents;
  if (cents <= 0n) throw new RpcError('failed_precondition', 'amount_nanos: is less than a cent of the payment');
  return cents;
}

async function insertNew(
  client: PoolClient,
  { accountId, paymentId, amountNanos, reason, idempotencyKey, actor }: RefundRequest,
  providerCents: bigint,
  nowMs: number,
): Promise<RefundRow> {
  const refundId = newId();
  const { id, name, role, via } = actor;
  await insertRefund(client, {
    accountId,
    refundId,
    paymentId,
    idempotencyKey,
    amountNanos,
    providerCents,
    reason,
    actor: { id, name, role, via },
    createdAtMs: nowMs,
    nextTryMs: nowMs + FIRST_TRY_MS,
  });
  await insertMovement(client, accountId, paymentId, takeOfOwnRefund(refundId, amountNanos, providerCents));
  const row = await findRefund(client, accountId, refundId);
  if (row === undefined) throw new Error('an inserted refund is missing');
  return row;
}

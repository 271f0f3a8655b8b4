import { messageOf, RpcError } from '@tollgate/common/errors';
import { textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Payment, RefundPaymentRequest } from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import { beginRefund } from '../refunds/begin-refund.ts';
import { continueRefund, type RefundOutcome, SHORT } from '../refunds/continue-refund.ts';
import { movementsOf } from '../store/movements.ts';
import { findPayment } from '../store/payments.ts';
import type { RefundRow } from '../store/refunds.ts';
import { amountArgument, MAX_KEY_LENGTH, MAX_REASON_LENGTH } from './arguments.ts';
import { paymentMessage } from './payment-message.ts';

/** Pays a payment back out of unspent credit. */
export function createRefundPaymentHandler(deps: Dependencies): UnaryHandler<RefundPaymentRequest, Payment> {
  const { pool, now } = deps;
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const paymentId = uuidArgument('payment_id', request.paymentId);
    const refund = await beginRefund(
      pool,
      {
        accountId,
        paymentId,
        amountNanos: amountArgument(request.amountNanos),
        reason: textArgument('reason', request.reason, MAX_REASON_LENGTH),
        idempotencyKey: textArgument('idempotency_key', request.idempotencyKey, MAX_KEY_LENGTH),
        actor: actorOf(call),
      },
      now(),
    );
    const outcome = await tryRefund(deps, refund);
    if (outcome?.state === 'refused') throw refusalOf(outcome.failure);
    const row = await findPayment(pool, accountId, paymentId);
    if (row === undefined) throw new Error('a refunded payment is missing');
    return paymentMessage(row, await movementsOf(pool, accountId, [paymentId]));
  };
}

/** Undefined: the outcome is open, and the reconciler goes on. */
async function tryRefund(deps: Dependencies, refund: RefundRow): Promise<RefundOutcome | undefined> {
  try {
    return await continueRefund(deps, refund);
  } catch (error) {
    const { account_id, payment_id, refund_id } = refund;
    deps.logger.warn({ account_id, payment_id, refund_id, reason: messageOf(error) }, 'a refund is still open');
    const movements = await movementsOf(deps.pool, account_id, [payment_id]);
    const isTaken = movements.some(({ key, bookedAtMs }) => key.endsWith(refund_id) && bookedAtMs !== undefined);
    if (isTaken) return undefined;
    throw new RpcError('unavailable', 'the refund is not complete; the same idempotency_key continues it', {
      cause: error,
    });
  }
}

function refusalOf(failure: string): RpcError {
  return failure === SHORT
    ? new RpcError(
        'failed_precondition',
        'amount_nanos: takes more than is left of the payment, or than the account has available',
      )
    : new RpcError('failed_precondition', `the payment provider refuses the refund: ${failure}`);
}

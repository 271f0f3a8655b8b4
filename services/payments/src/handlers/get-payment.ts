import { messageOf, RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { GetPaymentRequest, Payment } from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import { movementsOf } from '../store/movements.ts';
import { findPayment, mayAsk, type PaymentRow } from '../store/payments.ts';
import { paymentMessage } from './payment-message.ts';

/** How often the provider is asked about one payment because somebody looks at it. */
const ASK_INTERVAL_MS = 3_000;

/** One payment. The provider is asked about a pending one, so that its credit shows although the event is late. */
export function createGetPaymentHandler(deps: Dependencies): UnaryHandler<GetPaymentRequest, Payment> {
  const { pool } = deps;
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const paymentId = uuidArgument('payment_id', request.paymentId);
    const row = await findPayment(pool, accountId, paymentId);
    if (row === undefined) throw new RpcError('not_found', 'payment_id: the account has no such payment');
    if (row.state === 'pending') await ask(deps, row);
    const current = (await findPayment(pool, accountId, paymentId)) ?? row;
    return paymentMessage(current, await movementsOf(pool, accountId, [paymentId]));
  };
}

async function ask({ pool, now, synchronize, logger }: Dependencies, row: PaymentRow): Promise<void> {
  const { account_id, payment_id, checkout_id, provider_payment } = row;
  if (checkout_id === null && provider_payment === null) return;
  if (!(await mayAsk(pool, row, { nowMs: now(), intervalMs: ASK_INTERVAL_MS }))) return;
  try {
    await synchronize({ checkoutId: checkout_id ?? undefined, providerPayment: provider_payment ?? undefined });
  } catch (error) {
    // What is known is shown, and the reconciler asks again.
    logger.warn({ account_id, payment_id, reason: messageOf(error) }, 'the payment provider was not asked');
  }
}

import { RpcError } from '@tollgate/common/errors';
import { textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { formatDollars } from '@tollgate/common/money';
import type { CreateCheckoutRequest, Payment } from '@tollgate/proto/payments';
import { createCheckout } from '../checkout/create-checkout.ts';
import type { Dependencies } from '../dependencies.ts';
import { movementsOf } from '../store/movements.ts';
import { amountArgument, MAX_KEY_LENGTH } from './arguments.ts';
import { paymentMessage } from './payment-message.ts';

/** Begins a payment. */
export function createCreateCheckoutHandler(deps: Dependencies): UnaryHandler<CreateCheckoutRequest, Payment> {
  const { config, pool } = deps;
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const amountNanos = amountArgument(request.amountNanos);
    if (amountNanos < config.PAYMENT_MIN || amountNanos > config.PAYMENT_MAX) {
      const [min, max] = [formatDollars(config.PAYMENT_MIN), formatDollars(config.PAYMENT_MAX)];
      throw new RpcError('invalid_argument', `amount_nanos: must be ${min} to ${max} USD`);
    }
    const row = await createCheckout(deps, {
      accountId,
      amountNanos,
      saveMethod: request.saveMethod,
      confirms: request.confirms,
      idempotencyKey: textArgument('idempotency_key', request.idempotencyKey, MAX_KEY_LENGTH),
      actor: actorOf(call),
      clientAddress: request.clientAddress,
    });
    return paymentMessage(row, await movementsOf(pool, accountId, [row.payment_id]));
  };
}

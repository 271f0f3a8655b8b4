import { z } from 'zod';
import { badParameter, missing } from '../api/failure.ts';
import { listOf } from '../api/list.ts';
import { common, created, integer, metadata, paging, text } from '../api/params.ts';
import { type CallContext, idIn, type Route, route } from '../api/route.ts';
import { idOf } from '../objects/id-of.ts';
import { findIntent } from '../payments/intents.ts';
import { refund } from '../payments/refunds.ts';

const createRefund = z.strictObject({
  ...common,
  amount: integer.optional(),
  charge: text().optional(),
  metadata: metadata.optional(),
  payment_intent: text().optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
});

const ofPayment = z.strictObject({
  ...paging,
  created,
  charge: text().optional(),
  payment_intent: text().optional(),
});

interface OfPayment {
  charge: string | { id: string } | null;
  payment_intent: string | { id: string } | null;
}

/** Whether a refund or a dispute is of the payment that a list was asked for. */
function isOf(object: OfPayment, { charge, payment_intent: intent }: z.output<typeof ofPayment>): boolean {
  return (
    (charge === undefined || object.charge === charge) && (intent === undefined || object.payment_intent === intent)
  );
}

export const CHARGE_ROUTES: Route[] = [
  route(
    'GET',
    '/v1/charges',
    z.strictObject({ ...paging, created, customer: text().optional(), payment_intent: text().optional() }),
    (params, { world }) =>
      listOf(
        '/v1/charges',
        world.charges,
        params,
        ({ customer, payment_intent }) =>
          (params.customer === undefined || customer === params.customer) &&
          (params.payment_intent === undefined || payment_intent === params.payment_intent),
      ),
  ),
  route('GET', '/v1/charges/:id', z.strictObject(common), (_, context) => {
    const charge = context.world.charges.get(idIn(context));
    if (charge === undefined) throw missing('charge', idIn(context));
    return charge;
  }),
  route('GET', '/v1/balance_transactions/:id', z.strictObject(common), (_, context) => {
    const transaction = context.world.balanceTransactions.get(idIn(context));
    if (transaction === undefined) throw missing('balance_transaction', idIn(context));
    return transaction;
  }),
  route('POST', '/v1/refunds', createRefund, (params, context) => {
    const { amount, reason } = params;
    return refund(context.world, { amount, reason, metadata: params.metadata, charge: chargeOf(params, context) });
  }),
  route('GET', '/v1/refunds', ofPayment, (params, { world }) =>
    listOf('/v1/refunds', world.refunds, params, (one) => isOf(one, params)),
  ),
  route('GET', '/v1/refunds/:id', z.strictObject(common), (_, context) => {
    const found = context.world.refunds.get(idIn(context));
    if (found === undefined) throw missing('refund', idIn(context));
    return found;
  }),
  route('GET', '/v1/disputes', ofPayment, (params, { world }) =>
    listOf('/v1/disputes', world.disputes, params, (one) => isOf(one, params)),
  ),
  route('GET', '/v1/disputes/:id', z.strictObject(common), (_, context) => {
    const found = context.world.disputes.get(idIn(context));
    if (found === undefined) throw missing('dispute', idIn(context), 'dispute');
    return found;
  }),
];

/** The charge that is to be refunded. */
function chargeOf({ charge: id, payment_intent: intent }: z.output<typeof createRefund>, { world }: CallContext) {
  if ((id === undefined) === (intent === undefined)) {
    throw badParameter(
      'payment_intent',
      'One of the following params should be provided for this request: payment_intent or charge.',
      'parameter_missing',
    );
  }
  const wanted = id ?? idOf(findIntent(world, intent ?? '', 'payment_intent').latest_charge);
  if (wanted === null) {
    throw badParameter(
      'payment_intent',
      `This PaymentIntent (${intent ?? ''}) does not have a successful charge to refund.`,
    );
  }
  const charge = world.charges.get(wanted);
  if (charge === undefined) throw missing('charge', wanted, 'charge', 400);
  return charge;
}

import { z } from 'zod';
import { missing, StripeFailure } from '../api/failure.ts';
import { listOf } from '../api/list.ts';
import { common, paging, text } from '../api/params.ts';
import { idIn, type Route, route } from '../api/route.ts';
import { idOf } from '../objects/id-of.ts';
import { attach, findPaymentMethod } from '../payments/intents.ts';
import { change, emit } from '../state/events.ts';

const list = z.strictObject({
  ...paging,
  allow_redisplay: z.enum(['always', 'limited', 'unspecified']).optional(),
  customer: text().optional(),
  type: text().optional(),
});

export const PAYMENT_METHOD_ROUTES: Route[] = [
  route('GET', '/v1/payment_methods', list, (params, { world }) => {
    const { customer, type, allow_redisplay } = params;
    return listOf(
      '/v1/payment_methods',
      world.paymentMethods,
      params,
      (method) =>
        (customer === undefined ? method.customer !== null : method.customer === customer) &&
        (type === undefined || method.type === type) &&
        (allow_redisplay === undefined || method.allow_redisplay === allow_redisplay),
    );
  }),
  route('GET', '/v1/payment_methods/:id', z.strictObject(common), (_, context) =>
    findPaymentMethod(context.world, idIn(context), 'payment_method', 404),
  ),
  route(
    'POST',
    '/v1/payment_methods/:id/attach',
    z.strictObject({ ...common, customer: text() }),
    (params, context) => {
      const { world } = context;
      if (world.customers.get(params.customer) === undefined)
        throw missing('customer', params.customer, 'customer', 400);
      const method = findPaymentMethod(world, idIn(context), 'payment_method', 404);
      attach(world, method, params.customer);
      return method;
    },
  ),
  route('POST', '/v1/payment_methods/:id/detach', z.strictObject(common), (_, context) => {
    const { world } = context;
    const method = findPaymentMethod(world, idIn(context), 'payment_method', 404);
    if (idOf(method.customer) === null) {
      throw new StripeFailure(
        400,
        'The payment method you provided is not attached to a customer so detachment is impossible.',
      );
    }
    const reactions = world.reactions.get(method.id);
    if (reactions !== undefined) reactions.isDetached = true;
    emit(world, 'payment_method.detached', method, change(method, { customer: null }));
    return method;
  }),
];

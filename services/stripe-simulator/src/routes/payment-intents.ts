import { z } from 'zod';
import { badParameter, missing } from '../api/failure.ts';
import { listOf } from '../api/list.ts';
import { boolean, common, created, currency, integer, metadata, paging, text } from '../api/params.ts';
import { idIn, type Route, route } from '../api/route.ts';
import { idOf } from '../objects/id-of.ts';
import { createIntent } from '../objects/payment-intent.ts';
import { cancel, capture, confirm, confirmed, findIntent, findPaymentMethod } from '../payments/intents.ts';
import { checkAmount, checkUrl } from '../payments/limits.ts';
import { emit } from '../state/events.ts';

const confirming = {
  error_on_requires_action: boolean.optional(),
  mandate: text().optional(),
  off_session: z.union([boolean, z.enum(['one_off', 'recurring'])]).optional(),
  payment_method: text().optional(),
  receipt_email: text(512).optional(),
  return_url: text().optional(),
  use_stripe_sdk: boolean.optional(),
};

const create = z.strictObject({
  ...common,
  ...confirming,
  allowed_payment_method_types: z.array(text()).optional(),
  amount: integer,
  automatic_payment_methods: z
    .strictObject({ enabled: boolean, allow_redirects: z.enum(['always', 'never']).optional() })
    .optional(),
  capture_method: z.enum(['automatic', 'automatic_async', 'manual']).optional(),
  confirm: boolean.optional(),
  confirmation_method: z.enum(['automatic', 'manual']).optional(),
  currency,
  customer: text().optional(),
  description: text(1_000).optional(),
  metadata: metadata.optional(),
  setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
  statement_descriptor: text(22).optional(),
  statement_descriptor_suffix: text(22).optional(),
});

export const PAYMENT_INTENT_ROUTES: Route[] = [
  route('POST', '/v1/payment_intents', create, (params, { world }) => {
    checkAmount('amount', params.amount, params.currency);
    checkUrl('return_url', params.return_url);
    if (params.customer !== undefined && world.customers.get(params.customer) === undefined) {
      throw missing('customer', params.customer, 'customer', 400);
    }
    if (params.off_session !== undefined && params.off_session !== false && params.confirm !== true) {
      throw badParameter(
        'off_session',
        'When creating a PaymentIntent with `off_session`, you must also pass `confirm` as true.',
      );
    }
    const method = params.payment_method === undefined ? undefined : findPaymentMethod(world, params.payment_method);
    const intent = createIntent(world, {
      amount: params.amount,
      currency: params.currency,
      allowedTypes: params.allowed_payment_method_types,
      captureMethod: params.capture_method,
      customer: params.customer,
      description: params.description,
      metadata: params.metadata,
      paymentMethod: method?.id,
      receiptEmail: params.receipt_email,
      setupFutureUsage: params.setup_future_usage,
      statementDescriptorSuffix: params.statement_descriptor_suffix,
      automatic: { allow_redirects: params.automatic_payment_methods?.allow_redirects ?? 'always' },
    });
    emit(world, 'payment_intent.created', intent);
    if (params.confirm !== true) return intent;
    if (method === undefined) throw needsMethod();
    confirm(world, intent, {
      method,
      isPresent: params.off_session === undefined || params.off_session === false,
      returnUrl: params.return_url ?? null,
    });
    return confirmed(world, intent);
  }),
  route(
    'GET',
    '/v1/payment_intents',
    z.strictObject({ ...paging, created, customer: text().optional() }),
    (params, { world }) =>
      listOf(
        '/v1/payment_intents',
        world.paymentIntents,
        params,
        ({ customer }) => params.customer === undefined || customer === params.customer,
      ),
  ),
  route(
    'GET',
    '/v1/payment_intents/:id',
    z.strictObject({ ...common, client_secret: text().optional() }),
    (_, context) => findIntent(context.world, idIn(context)),
  ),
  route('POST', '/v1/payment_intents/:id/confirm', z.strictObject({ ...common, ...confirming }), (params, context) => {
    const { world } = context;
    const intent = findIntent(world, idIn(context));
    checkUrl('return_url', params.return_url);
    const id = params.payment_method ?? idOf(intent.payment_method);
    if (id === null) throw needsMethod();
    confirm(world, intent, {
      method: findPaymentMethod(world, id),
      isPresent: params.off_session === undefined || params.off_session === false,
      returnUrl: params.return_url ?? null,
    });
    return confirmed(world, intent);
  }),
  route(
    'POST',
    '/v1/payment_intents/:id/cancel',
    z.strictObject({
      ...common,
      cancellation_reason: z.enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']).optional(),
    }),
    (params, context) => {
      const intent = findIntent(context.world, idIn(context));
      cancel(context.world, intent, params.cancellation_reason ?? null);
      return intent;
    },
  ),
  route(
    'POST',
    '/v1/payment_intents/:id/capture',
    z.strictObject({ ...common, amount_to_capture: integer.optional(), final_capture: boolean.optional() }),
    (params, context) => {
      const intent = findIntent(context.world, idIn(context));
      capture(context.world, intent, params.amount_to_capture);
      return intent;
    },
  ),
];

function needsMethod(): Error {
  return badParameter(
    'payment_method',
    'You cannot confirm this PaymentIntent because it’s missing a payment method. Update the PaymentIntent with a payment method and then confirm it again.',
    'payment_intent_unexpected_state',
  );
}

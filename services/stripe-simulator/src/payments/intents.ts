import type { Stripe } from 'stripe';
import { badParameter, badState, missing, StripeFailure } from '../api/failure.ts';
import { idOf } from '../objects/id-of.ts';
import { createPaymentMethod } from '../objects/payment-method.ts';
import { change, emit, type Previous } from '../state/events.ts';
import type { World } from '../state/world.ts';
import { type AttemptOptions, attempt, book, fail, failCharge, refuse, settleCharge, succeed } from './attempt.ts';
import { type Decline, declineOf, instrumentOf } from './instruments.ts';
import { sessionOf, sessionSettled } from './session-state.ts';

/** @throws StripeFailure if there is none */
export function findIntent(world: World, id: string, param?: string): Stripe.PaymentIntent {
  const intent = world.paymentIntents.get(id);
  if (intent === undefined) throw missing('payment_intent', id, param ?? 'intent', param === undefined ? 404 : 400);
  return intent;
}

/** The payment method of this id, or a new one of Stripe's test methods such as `pm_card_visa`. @throws StripeFailure */
export function findPaymentMethod(
  world: World,
  id: string,
  param = 'payment_method',
  status = 400,
): Stripe.PaymentMethod {
  const instrument = instrumentOf(id);
  if (instrument !== undefined) return createPaymentMethod(world, instrument, { email: null, name: null });
  const found = world.paymentMethods.get(id);
  if (found === undefined) throw missing('PaymentMethod', id, param, status);
  return found;
}

/** Saves a payment method for a customer. */
export function attach(world: World, method: Stripe.PaymentMethod, customer: string): void {
  if (method.customer === customer) return;
  change(method, { customer });
  emit(world, 'payment_method.attached', method);
}

export interface ConfirmOptions extends AttemptOptions {
  method: Stripe.PaymentMethod;
}

/** Charges a payment method for an intent. @throws StripeFailure if that is not possible; a decline is a state of the intent */
export function confirm(world: World, intent: Stripe.PaymentIntent, { method, ...options }: ConfirmOptions): void {
  if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(intent.status)) {
    throw wrongState(intent, 'confirm', 'requires_confirmation or requires_action');
  }
  const owner = idOf(method.customer);
  if (owner !== null && owner !== idOf(intent.customer)) {
    throw badParameter(
      'payment_method',
      'The payment method belongs to a customer. Please include that customer in the `customer` parameter on the PaymentIntent.',
    );
  }
  if (world.reactions.get(method.id)?.isDetached === true) {
    throw badParameter(
      'payment_method',
      'The provided PaymentMethod was detached from a Customer. It may not be used again.',
    );
  }
  if (!intent.payment_method_types.includes(method.type)) {
    throw badParameter(
      'payment_method',
      `The PaymentMethod provided (${method.type}) is not allowed for this PaymentIntent.`,
    );
  }
  const reaction = world.reactions.get(method.id)?.absent;
  if (!options.isPresent && reaction?.kind === 'authenticate') {
    change(intent, { payment_method: method.id });
    fail(world, intent, method, declineOf('authentication_required'));
  } else {
    attempt(world, intent, method, options, (_intent, decline) => settle(world, intent, decline));
    saveIfWanted(world, intent, method);
  }
}

function saveIfWanted(world: World, intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod): void {
  const customer = idOf(intent.customer);
  const isPaid = ['succeeded', 'processing', 'requires_capture'].includes(intent.status);
  if (isPaid && customer !== null && intent.setup_future_usage !== null) attach(world, method, customer);
}

/** A confirmed payment as the API answers it. @throws StripeFailure for a decline */
export function confirmed(world: World, intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
  const error = intent.last_payment_error;
  if (intent.status !== 'requires_payment_method' || error === null) return intent;
  const { message = '', code, decline_code, charge, payment_method } = error;
  throw new StripeFailure(402, message, {
    type: 'card_error',
    ...(code === undefined ? {} : { code }),
    ...(decline_code === undefined ? {} : { decline_code }),
    ...(charge === undefined ? {} : { charge }),
    ...(payment_method === undefined ? {} : { payment_method }),
    payment_intent: structuredClone(world.paymentIntents.get(intent.id) ?? intent),
  });
}

/** The owner of a payment method approved the payment, or did not. @throws StripeFailure if nobody asked */
export function authenticate(world: World, intent: Stripe.PaymentIntent, isApproved: boolean): void {
  if (intent.status !== 'requires_action') throw wrongState(intent, 'authenticate', 'requires_action');
  const method = findPaymentMethod(world, idOf(intent.payment_method) ?? '');
  if (isApproved) {
    succeed(world, intent, method, true);
    saveIfWanted(world, intent, method);
  } else {
    refuse(world, intent, method, 'not_approved', null);
  }
}

/** A bank debit is settled, or fails if there is a decline. @throws StripeFailure if the intent waits for none */
export function settle(world: World, intent: Stripe.PaymentIntent, decline: Decline | undefined): void {
  const charge = world.charges.get(idOf(intent.latest_charge) ?? '');
  if (intent.status !== 'processing' || charge === undefined) throw wrongState(intent, 'settle', 'processing');
  const session = sessionOf(world, intent);
  if (decline === undefined) settleCharge(world, intent, charge);
  else failCharge(world, intent, charge, findPaymentMethod(world, charge.payment_method ?? ''), decline);
  if (session !== undefined) sessionSettled(world, session, decline === undefined);
}

/** @param amount default: all of it. @throws StripeFailure */
export function capture(world: World, intent: Stripe.PaymentIntent, amount = intent.amount_capturable): void {
  const charge = world.charges.get(idOf(intent.latest_charge) ?? '');
  if (intent.status !== 'requires_capture' || charge === undefined)
    throw wrongState(intent, 'capture', 'requires_capture');
  if (amount < 1 || amount > intent.amount_capturable) {
    throw badParameter(
      'amount_to_capture',
      `The remaining amount on this PaymentIntent that can be captured is ${intent.amount_capturable}; you asked for ${amount}.`,
      amount < 1 ? 'amount_too_small' : 'amount_too_large',
    );
  }
  const before = change(charge, { captured: true, amount_captured: amount });
  change(intent, { status: 'succeeded', amount_capturable: 0, amount_received: amount });
  emit(world, 'charge.captured', charge, before);
  emit(world, 'payment_intent.succeeded', intent);
  book(world, charge);
}

/** @throws StripeFailure if the payment can no longer be canceled */
export function cancel(
  world: World,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
): void {
  const open = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'];
  if (!open.includes(intent.status)) throw wrongState(intent, 'cancel', open.join(', '));
  const charge = world.charges.get(idOf(intent.latest_charge) ?? '');
  const wasHeld = intent.status === 'requires_capture';
  change(intent, {
    status: 'canceled',
    canceled_at: world.seconds(),
    cancellation_reason: reason,
    amount_capturable: 0,
    next_action: null,
  });
  emit(world, 'payment_intent.canceled', intent);
  // What was held is given back, which Stripe shows as a refund of a charge that moved no money.
  if (wasHeld && charge !== undefined) {
    const before: Previous = change(charge, { refunded: true, amount_refunded: charge.amount });
    emit(world, 'charge.refunded', charge, before);
  }
}

function wrongState(intent: Stripe.PaymentIntent, action: string, needed: string): StripeFailure {
  return badState(
    `You cannot ${action} this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be used: ${needed}.`,
    'payment_intent_unexpected_state',
    { payment_intent: structuredClone(intent) },
  );
}

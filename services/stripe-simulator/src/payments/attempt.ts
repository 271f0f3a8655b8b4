import type { Stripe } from 'stripe';
import { createBalanceTransaction, feeOf } from '../objects/balance-transaction.ts';
import { type ChargeState, createCharge, outcomeOf } from '../objects/charge.ts';
import { change, emit } from '../state/events.ts';
import type { World } from '../state/world.ts';
import type { Decline, Reaction } from './instruments.ts';

/** How long a bank debit takes, on the clock. */
const SETTLE_MS = 10_000;

export interface AttemptOptions {
  /** Whether the owner of the payment method is there. */
  isPresent: boolean;
  /** Where the owner returns after approving. */
  returnUrl: string | null;
}

/** Does what follows when a bank debit is settled or has failed. */
export type OnSettled = (intent: Stripe.PaymentIntent, decline: Decline | undefined) => void;

/** Charges a payment method for an intent: the intent says how that went. */
export function attempt(
  world: World,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  options: AttemptOptions,
  onSettled: OnSettled,
): void {
  const reactions = world.reactions.get(method.id);
  const reaction: Reaction = (options.isPresent ? reactions?.present : reactions?.absent) ?? { kind: 'succeed' };
  change(intent, { payment_method: method.id, last_payment_error: null, next_action: null });
  switch (reaction.kind) {
    case 'succeed':
      succeed(world, intent, method, false);
      break;
    case 'decline':
      fail(world, intent, method, reaction.decline);
      break;
    case 'authenticate':
      askForApproval(world, intent, options);
      break;
    case 'settle_later': {
      const { fails } = reaction;
      wait(world, intent, method);
      const charge = intent.latest_charge;
      world.clock.after(SETTLE_MS, () => {
        // A test may have settled it already.
        if (intent.status === 'processing' && intent.latest_charge === charge) {
          onSettled(intent, fails ? BANK_REFUSAL : undefined);
        }
      });
      break;
    }
    default:
      reaction satisfies never;
  }
}

/** Why a bank debit fails. */
export const BANK_REFUSAL: Decline = {
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'The customer’s account has insufficient funds to cover this payment.',
};

function askForApproval(world: World, intent: Stripe.PaymentIntent, { returnUrl }: AttemptOptions): void {
  const url = `${world.origin}/c/authenticate/${intent.id}`;
  change(intent, {
    status: 'requires_action',
    next_action: { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } },
  });
  emit(world, 'payment_intent.requires_action', intent);
}

/** The payment method paid, or holds the amount for a later capture. */
export function succeed(
  world: World,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  isAuthenticated: boolean,
): void {
  const captured = intent.capture_method !== 'manual';
  const charge = createCharge(world, intent, method, { status: 'succeeded', captured }, isAuthenticated);
  change(intent, {
    status: captured ? 'succeeded' : 'requires_capture',
    latest_charge: charge.id,
    amount_received: captured ? intent.amount : 0,
    amount_capturable: captured ? 0 : intent.amount,
    next_action: null,
    last_payment_error: null,
  });
  emit(world, 'charge.succeeded', charge);
  emit(world, captured ? 'payment_intent.succeeded' : 'payment_intent.amount_capturable_updated', intent);
  if (captured) book(world, charge);
}

/** The payment method was declined. */
export function fail(world: World, intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod, decline: Decline): void {
  const charge = createCharge(world, intent, method, { status: 'failed', decline }, false);
  emit(world, 'charge.failed', charge);
  refuse(world, intent, method, decline, charge.id);
}

/** The intent needs another payment method. */
export function refuse(
  world: World,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  decline: Decline | 'not_approved',
  charge: string | null,
): void {
  const reason =
    decline === 'not_approved'
      ? {
          code: 'payment_intent_authentication_failure' as const,
          message:
            'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
          type: 'invalid_request_error' as const,
        }
      : {
          code: decline.code,
          decline_code: decline.declineCode,
          ...(decline.adviceCode === undefined ? {} : { advice_code: decline.adviceCode }),
          message: decline.message,
          type: 'card_error' as const,
        };
  change(intent, {
    status: 'requires_payment_method',
    payment_method: null,
    latest_charge: charge ?? intent.latest_charge,
    next_action: null,
    last_payment_error: {
      ...reason,
      ...(charge === null ? {} : { charge }),
      payment_method: structuredClone(method),
    },
  });
  emit(world, 'payment_intent.payment_failed', intent);
}

function wait(world: World, intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod): void {
  const charge = createCharge(world, intent, method, { status: 'pending' }, false);
  change(intent, { status: 'processing', latest_charge: charge.id });
  emit(world, 'payment_intent.processing', intent);
  emit(world, 'charge.pending', charge);
}

/** A pending charge is paid. */
export function settleCharge(world: World, intent: Stripe.PaymentIntent, charge: Stripe.Charge): void {
  change(charge, { status: 'succeeded', paid: true, receipt_url: `${world.origin}/receipts/${charge.id}` });
  change(intent, { status: 'succeeded', amount_received: intent.amount });
  emit(world, 'charge.succeeded', charge);
  emit(world, 'payment_intent.succeeded', intent);
  book(world, charge);
}

/** A pending charge is not paid. */
export function failCharge(
  world: World,
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge,
  method: Stripe.PaymentMethod,
  decline: Decline,
): void {
  const state: ChargeState = { status: 'failed', decline };
  change(charge, {
    status: 'failed',
    amount_captured: 0,
    failure_code: decline.code,
    failure_message: decline.message,
    outcome: outcomeOf(state),
  });
  emit(world, 'charge.failed', charge);
  refuse(world, intent, method, decline, charge.id);
}

/** Books a captured charge, which Stripe does soon after it. */
export function book(world: World, charge: Stripe.Charge): void {
  const amount = charge.amount_captured;
  const type = charge.payment_method_details?.type === 'card' ? 'charge' : 'payment';
  const { id } = createBalanceTransaction(world, {
    type,
    source: charge.id,
    amount,
    fee: feeOf(amount),
    currency: charge.currency,
  });
  emit(world, 'charge.updated', charge, change(charge, { balance_transaction: id }));
}

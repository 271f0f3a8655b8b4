import type { Stripe } from 'stripe';
import { badState } from '../api/failure.ts';
import { idOf } from '../objects/id-of.ts';
import { createIntent } from '../objects/payment-intent.ts';
import { createPaymentMethod } from '../objects/payment-method.ts';
import { change, emit } from '../state/events.ts';
import type { World } from '../state/world.ts';
import { INSTRUMENTS, type InstrumentName } from './instruments.ts';
import { authenticate, cancel, confirm } from './intents.ts';

/** What the buyer sees next. */
export type Step =
  | { kind: 'return'; url: string }
  | { kind: 'authenticate'; url: string }
  | { kind: 'declined'; message: string };

/** The buyer pays. @throws StripeFailure unless the session is open */
export function pay(world: World, session: Stripe.Checkout.Session, name: InstrumentName): Step {
  checkOpen(session);
  addTax(world, session);
  const customer = world.customers.get(idOf(session.customer) ?? '');
  const email = session.customer_email ?? customer?.email ?? 'buyer@example.com';
  const intent = intentOf(world, session);
  const method = createPaymentMethod(world, INSTRUMENTS[name], { email, name: customer?.name ?? 'Simulated Buyer' });
  confirm(world, intent, { method, isPresent: true, returnUrl: session.success_url });
  return next(world, session, intent);
}

/** The buyer approves the payment or does not. @throws StripeFailure if nobody asked */
export function answerChallenge(
  world: World,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  isApproved: boolean,
): Step {
  checkOpen(session);
  authenticate(world, intent, isApproved);
  return next(world, session, intent);
}

/** Where a session sends the buyer who has paid. */
export function returnUrlOf({ success_url, id }: Stripe.Checkout.Session): string {
  return (success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', id);
}

/** Ends a session that nobody paid. @throws StripeFailure unless it is open */
export function expire(world: World, session: Stripe.Checkout.Session): void {
  checkOpen(session);
  const intent = world.paymentIntents.get(idOf(session.payment_intent) ?? '');
  change(session, { status: 'expired', url: null });
  if (intent?.status.startsWith('requires_')) cancel(world, intent, null);
  emit(world, 'checkout.session.expired', session);
}

function next(world: World, session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent): Step {
  if (intent.status === 'requires_action') {
    return { kind: 'authenticate', url: intent.next_action?.redirect_to_url?.url ?? '' };
  }
  if (intent.status === 'requires_payment_method') {
    return { kind: 'declined', message: intent.last_payment_error?.message ?? '' };
  }
  complete(world, session, intent);
  return { kind: 'return', url: returnUrlOf(session) };
}

function complete(world: World, session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent): void {
  const customer = world.customers.get(idOf(session.customer) ?? '');
  const email = session.customer_email ?? customer?.email ?? 'buyer@example.com';
  change(session, {
    status: 'complete',
    payment_status: intent.status === 'succeeded' ? 'paid' : 'unpaid',
    url: null,
    customer_details: {
      address: { city: null, country: 'US', line1: null, line2: null, postal_code: '94103', state: null },
      business_name: null,
      email,
      individual_name: null,
      name: customer?.name ?? 'Simulated Buyer',
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
    },
  });
  emit(world, 'checkout.session.completed', session);
}

/** The payment of a session, made with the first attempt to pay. */
function intentOf(world: World, session: Stripe.Checkout.Session): Stripe.PaymentIntent {
  const known = world.paymentIntents.get(idOf(session.payment_intent) ?? '');
  if (known !== undefined) return known;
  const data = world.sessionDetails.get(session.id)?.paymentIntentData;
  const intent = createIntent(world, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? 'usd',
    allowedTypes: session.allowed_payment_method_types ?? undefined,
    captureMethod: data?.captureMethod,
    customer: idOf(session.customer) ?? undefined,
    description: data?.description,
    metadata: { ...data?.metadata },
    receiptEmail: data?.receiptEmail,
    setupFutureUsage: data?.setupFutureUsage,
    statementDescriptorSuffix: data?.statementDescriptorSuffix,
    automatic: null,
  });
  change(session, { payment_intent: intent.id });
  emit(world, 'payment_intent.created', intent);
  return intent;
}

/** Tax is known once the buyer's address is. */
function addTax(world: World, session: Stripe.Checkout.Session): void {
  if (!session.automatic_tax.enabled || session.automatic_tax.status === 'complete') return;
  const subtotal = session.amount_subtotal ?? 0;
  const amount_tax = Math.round((subtotal * world.taxPercent) / 100);
  change(session, {
    amount_total: subtotal + amount_tax,
    automatic_tax: { ...session.automatic_tax, status: 'complete' },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax },
  });
}

function checkOpen(session: Stripe.Checkout.Session): void {
  if (session.status === 'open') return;
  throw badState(
    `This Checkout Session has a status of ${session.status ?? 'none'}. Only open ones can be paid or expired.`,
    'resource_missing',
  );
}

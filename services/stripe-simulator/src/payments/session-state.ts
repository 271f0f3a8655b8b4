import type { Stripe } from 'stripe';
import { change, emit } from '../state/events.ts';
import type { World } from '../state/world.ts';

/** The checkout session of a payment. */
export function sessionOf(world: World, intent: Stripe.PaymentIntent): Stripe.Checkout.Session | undefined {
  return world.sessions.find(({ payment_intent }) => payment_intent === intent.id);
}

/** A session whose payment was delayed learns how it ended. */
export function sessionSettled(world: World, session: Stripe.Checkout.Session, isPaid: boolean): void {
  if (isPaid) change(session, { payment_status: 'paid' });
  emit(world, isPaid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed', session);
}

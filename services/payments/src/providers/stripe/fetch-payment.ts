import type { Stripe } from 'stripe';
import type { Fetched, PaymentRef } from '../provider.ts';
import { callingOrMissing } from './client.ts';
import { idOf, readCheckout, readPayment } from './read-objects.ts';

/** Refunds and disputes of one payment are read up to this number. */
const MAX_TAKINGS = 1_000;
const PAGE_SIZE = 100;

/** Reads a payment with its page, refunds and disputes; undefined if Stripe knows neither id. */
export async function fetchPayment(stripe: Stripe, ref: PaymentRef): Promise<Fetched | undefined> {
  const { checkoutId } = ref;
  const session =
    checkoutId === undefined ? undefined : await callingOrMissing(() => stripe.checkout.sessions.retrieve(checkoutId));
  const intentId = ref.providerPayment ?? idOf(session?.payment_intent);
  const intent =
    intentId === undefined
      ? undefined
      : await callingOrMissing(() => stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] }));
  if (session === undefined && intent === undefined) return undefined;
  return {
    checkout: session === undefined ? undefined : readCheckout(session),
    payment: intent === undefined ? undefined : await withCharges(stripe, intent),
  };
}

async function withCharges(stripe: Stripe, intent: Stripe.PaymentIntent) {
  // It was never tried to pay.
  if (intent.latest_charge === null) return readPayment(intent, { charges: [], refunds: [], disputes: [] });
  const params = { payment_intent: intent.id, limit: PAGE_SIZE };
  // Nothing is taken of what was not received.
  const isReceived = intent.amount_received > 0;
  const [charges, refunds, disputes] = await Promise.all([
    stripe.charges.list(params).then(({ data }) => data),
    isReceived ? stripe.refunds.list(params).autoPagingToArray({ limit: MAX_TAKINGS }) : [],
    isReceived ? stripe.disputes.list(params).autoPagingToArray({ limit: MAX_TAKINGS }) : [],
  ]);
  return readPayment(intent, { charges, refunds, disputes });
}

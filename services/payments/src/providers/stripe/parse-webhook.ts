import { Stripe } from 'stripe';
import { type PaymentRef, SignatureError, type WebhookEvent, type WebhookRequest } from '../provider.ts';
import { idOf } from './read-objects.ts';

/** A signature is valid this long. */
const TOLERANCE_S = 300;

/**
 * Reads an event that one of the secrets has signed. What it says of the payment is not read: Stripe is asked.
 *
 * @throws SignatureError
 */
export function parseWebhook(
  webhooks: Stripe['webhooks'],
  secrets: readonly string[],
  { body, signature }: WebhookRequest,
): WebhookEvent {
  for (const secret of secrets) {
    try {
      const event = webhooks.constructEvent(body, signature, secret, TOLERANCE_S);
      return { id: event.id, type: event.type, ref: refOf(event.data.object) };
    } catch (error) {
      // Another secret may have signed it.
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) continue;
      throw new SignatureError('the event cannot be read', { cause: error });
    }
  }
  throw new SignatureError('the signature is not valid, or too old');
}

/** The payment that an object of an event belongs to. */
function refOf(object: Stripe.Event.Data.Object): PaymentRef | undefined {
  if (!('object' in object)) return undefined;
  switch (object['object']) {
    case 'checkout.session': {
      const { id, payment_intent } = object as Stripe.Checkout.Session;
      return { checkoutId: id, providerPayment: idOf(payment_intent) };
    }
    case 'payment_intent':
      return { providerPayment: (object as Stripe.PaymentIntent).id };
    case 'charge':
    case 'refund':
    case 'dispute': {
      const providerPayment = idOf((object as Stripe.Charge | Stripe.Refund | Stripe.Dispute).payment_intent);
      return providerPayment === undefined ? undefined : { providerPayment };
    }
    default:
      return undefined;
  }
}

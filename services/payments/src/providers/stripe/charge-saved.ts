import { Stripe } from 'stripe';
import { metadataOf, originOf } from '../origin.ts';
import { type ChargeOptions, KEY_USED, ProviderError } from '../provider.ts';

/** Of one customer, since the charge was asked for. */
const MAX_LISTED = 1_000;
const PAGE_SIZE = 100;

/** Charges a saved card without its holder. @returns the PaymentIntent, also of a declined charge */
export async function chargeSaved(stripe: Stripe, charge: ChargeOptions): Promise<string> {
  const { customerId: customer, methodId: payment_method, amountCents, idempotencyKey, origin } = charge;
  try {
    const { id } = await stripe.paymentIntents.create(
      {
        amount: Number(amountCents),
        currency: 'usd',
        customer,
        payment_method,
        confirm: true,
        off_session: true,
        error_on_requires_action: true,
        // Nobody is there to be redirected.
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        description: 'Credit',
        metadata: metadataOf(origin),
      },
      { idempotencyKey },
    );
    return id;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError && error.payment_intent !== undefined) {
      return error.payment_intent.id;
    }
    if (error instanceof Stripe.errors.StripeIdempotencyError && error.statusCode === 400) {
      throw new ProviderError('refused', KEY_USED, `Stripe: ${error.message}`, {
        cause: { requestId: error.requestId },
      });
    }
    throw error;
  }
}

/** Finds a payment of ours by its metadata, newest first. */
export async function findPayment(
  stripe: Stripe,
  { customerId, paymentId, sinceMs }: { customerId: string; paymentId: string; sinceMs: number },
): Promise<string | undefined> {
  const params = { customer: customerId, created: { gte: Math.floor(sinceMs / 1_000) }, limit: PAGE_SIZE };
  let seen = 0;
  for await (const { id, metadata } of stripe.paymentIntents.list(params)) {
    const origin = originOf(metadata);
    if (origin !== undefined && origin !== 'malformed' && origin.paymentId === paymentId) return id;
    seen += 1;
    if (seen >= MAX_LISTED) throw new ProviderError('unavailable', 'too_many', 'Stripe: too many payments to search');
  }
  return undefined;
}

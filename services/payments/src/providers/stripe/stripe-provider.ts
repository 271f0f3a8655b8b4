import type { Stripe } from 'stripe';
import { customerMetadata, metadataOf, refundMetadata } from '../origin.ts';
import { type CheckoutOptions, type Provider, ProviderError } from '../provider.ts';
import { chargeSaved, findPayment } from './charge-saved.ts';
import { calling, callingOrMissing, createStripeClient, type StripeClientOptions } from './client.ts';
import { fetchPayment } from './fetch-payment.ts';
import { listSince } from './list-since.ts';
import { parseWebhook } from './parse-webhook.ts';
import { idOf, readMethod } from './read-objects.ts';

export interface StripeOptions extends StripeClientOptions {
  /** Newest first. */
  webhookSecrets: readonly string[];
  /** Whether taxes are added. */
  tax: boolean;
}

/** Of an account; more are not shown. */
const MAX_METHODS = 100;

/** Payments by Stripe, at its own pages. */
export function createStripeProvider(options: StripeOptions): Provider {
  const stripe = createStripeClient(options);
  return {
    name: 'stripe',
    createCustomer: async (accountId, installationId, idempotencyKey) => {
      const metadata = customerMetadata(accountId, installationId);
      const { id } = await calling(() => stripe.customers.create({ metadata }, { idempotencyKey }));
      return id;
    },
    createCheckout: async (checkout) => {
      const params = checkoutParams(checkout, options.tax);
      const { idempotencyKey } = checkout;
      const { id, url } = await calling(() => stripe.checkout.sessions.create(params, { idempotencyKey }));
      // Only a page that has ended has no address.
      if (url === null) throw new ProviderError('refused', 'no_url', 'Stripe: the checkout has no address');
      return { checkoutId: id, url };
    },
    chargeSaved: (charge) => calling(() => chargeSaved(stripe, charge)),
    findPayment: (sought) => calling(() => findPayment(stripe, sought)),
    parseWebhook: (request) => parseWebhook(stripe.webhooks, options.webhookSecrets, request),
    fetch: (ref) => calling(() => fetchPayment(stripe, ref)),
    listSince: (window) => calling(() => listSince(stripe, window)),
    refund: async ({ providerPayment, refundId, creditNanos, cents }) => {
      const params = {
        payment_intent: providerPayment,
        amount: Number(cents),
        metadata: refundMetadata(refundId, creditNanos),
      };
      const { id } = await calling(() => stripe.refunds.create(params, { idempotencyKey: refundId }));
      return id;
    },
    listMethods: async (customer) => {
      const { data } = await calling(() => stripe.paymentMethods.list({ customer, type: 'card', limit: MAX_METHODS }));
      return data.flatMap((method) => readMethod(method) ?? []);
    },
    removeMethod: async (customer, methodId) => {
      const method = await callingOrMissing(() => stripe.paymentMethods.retrieve(methodId));
      if (method === undefined || idOf(method.customer) !== customer) return undefined;
      await calling(() => stripe.paymentMethods.detach(methodId));
      return readMethod(method);
    },
  };
}

/** The page of a payment. Which methods it offers is set at Stripe's dashboard. */
function checkoutParams(checkout: CheckoutOptions, tax: boolean): Stripe.Checkout.SessionCreateParams {
  const metadata = metadataOf(checkout.origin);
  return {
    mode: 'payment',
    customer: checkout.customerId,
    client_reference_id: checkout.origin.paymentId,
    metadata,
    payment_intent_data: { metadata, ...(checkout.saveMethod ? { setup_future_usage: 'off_session' } : {}) },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: Number(checkout.amountCents),
          product_data: { name: 'Credit' },
          ...(tax ? { tax_behavior: 'exclusive' } : {}),
        },
      },
    ],
    success_url: checkout.successUrl,
    cancel_url: checkout.cancelUrl,
    expires_at: Math.floor(checkout.expiresAtMs / 1_000),
    ...(tax
      ? { automatic_tax: { enabled: true }, customer_update: { address: 'auto' }, invoice_creation: { enabled: true } }
      : {}),
  };
}

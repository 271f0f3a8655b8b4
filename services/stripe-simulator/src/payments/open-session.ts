import type { Stripe } from 'stripe';
import { badParameter, missing } from '../api/failure.ts';
import { createLineItem, createSession } from '../objects/session.ts';
import type { World } from '../state/world.ts';
import { expire } from './checkout.ts';
import { checkAmount, checkUrl } from './limits.ts';
import type { SessionParams } from './session-params.ts';

/** How long a session is open by default, and at least, in seconds. */
const OPEN_SECONDS = { default: 86_400, min: 1_800 };

/** Opens a checkout session, which expires by itself. @throws StripeFailure */
export function openSession(world: World, params: SessionParams): Stripe.Checkout.Session {
  check(world, params);
  const now = world.seconds();
  const expiresAt = params.expires_at ?? now + OPEN_SECONDS.default;
  if (expiresAt < now + OPEN_SECONDS.min || expiresAt > now + OPEN_SECONDS.default) {
    throw badParameter(
      'expires_at',
      'The `expires_at` timestamp must be between 30 minutes and 24 hours after the Checkout Session is created.',
    );
  }
  const [first] = params.line_items;
  const currency = first?.price_data.currency ?? 'usd';
  const lineItems = params.line_items.map(({ price_data: { product_data, unit_amount }, quantity, metadata = {} }) =>
    createLineItem(world, {
      name: product_data?.name ?? 'Product',
      unitAmount: unit_amount,
      quantity,
      currency,
      metadata,
    }),
  );
  const amount = lineItems.reduce((sum, { amount_total }) => sum + amount_total, 0);
  checkAmount('line_items', amount, currency);
  const data = params.payment_intent_data;
  const session = createSession(world, {
    url: (id) => `${world.origin}/c/pay/${id}`,
    amount,
    currency,
    allowedTypes: params.allowed_payment_method_types,
    billingAddressCollection: params.billing_address_collection,
    cancelUrl: params.cancel_url,
    clientReferenceId: params.client_reference_id,
    customer: params.customer,
    customerEmail: params.customer_email,
    expiresAt,
    hasAutomaticTax: params.automatic_tax?.enabled ?? false,
    invoiceCreation: invoiceOf(params),
    locale: params.locale,
    metadata: params.metadata,
    submitType: params.submit_type,
    successUrl: params.success_url,
    taxIds: params.tax_id_collection?.enabled,
  });
  world.sessionDetails.add({
    id: session.id,
    lineItems,
    paymentIntentData: {
      captureMethod: data?.capture_method,
      description: data?.description,
      metadata: data?.metadata ?? {},
      receiptEmail: data?.receipt_email,
      setupFutureUsage: data?.setup_future_usage,
      statementDescriptorSuffix: data?.statement_descriptor_suffix,
    },
  });
  world.clock.after(expiresAt * 1_000 - world.clock.now(), () => {
    if (session.status === 'open') expire(world, session);
  });
  return session;
}

function invoiceOf({ invoice_creation: creation }: SessionParams) {
  if (creation === undefined) return undefined;
  const { description = null, footer = null, metadata = {} } = creation.invoice_data ?? {};
  return { enabled: creation.enabled, data: { description, footer, metadata } };
}

function check(world: World, params: SessionParams): void {
  checkUrl('success_url', params.success_url);
  checkUrl('cancel_url', params.cancel_url);
  const { customer, customer_email, customer_update: update } = params;
  if (customer !== undefined && customer_email !== undefined) {
    throw badParameter('customer_email', 'You may only specify one of these parameters: customer, customer_email.');
  }
  if (update !== undefined && customer === undefined) {
    throw badParameter('customer_update', '`customer_update` can only be used with `customer`.');
  }
  const known = customer === undefined ? undefined : world.customers.get(customer);
  if (customer !== undefined && known === undefined) throw missing('customer', customer, 'customer', 400);
  if (params.automatic_tax?.enabled === true && known !== undefined && known.address?.country == null) {
    if (update?.address !== 'auto' && update?.shipping !== 'auto') {
      throw badParameter(
        'automatic_tax',
        "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
        'customer_tax_location_invalid',
      );
    }
  }
  for (const [index, { price_data: price }] of params.line_items.entries()) {
    const param = `line_items[${index}][price_data]`;
    if ((price.product === undefined) === (price.product_data === undefined)) {
      throw badParameter(
        `${param}[product_data]`,
        `You must specify exactly one of ${param}[product] and ${param}[product_data].`,
      );
    }
    if (price.unit_amount < 0)
      throw badParameter(`${param}[unit_amount]`, 'Invalid non-negative integer', 'parameter_invalid_integer');
    if (price.currency !== params.line_items[0]?.price_data.currency) {
      throw badParameter(`${param}[currency]`, 'You cannot combine currencies on a single Checkout Session.');
    }
  }
}

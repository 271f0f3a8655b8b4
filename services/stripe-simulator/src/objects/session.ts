import { Stripe } from 'stripe';
import type { World } from '../state/world.ts';
import { PAYMENT_METHOD_TYPES } from './payment-intent.ts';

export interface SessionInput {
  url: (id: string) => string;
  amount: number;
  currency: string;
  allowedTypes?: string[] | undefined;
  cancelUrl?: string | undefined;
  clientReferenceId?: string | undefined;
  customer?: string | undefined;
  customerEmail?: string | undefined;
  /** Seconds since 1970. */
  expiresAt: number;
  hasAutomaticTax: boolean;
  invoiceCreation?:
    | { enabled: boolean; data: Partial<Stripe.Checkout.Session.InvoiceCreation.InvoiceData> }
    | undefined;
  metadata?: Record<string, string> | undefined;
  successUrl: string;
  submitType?: 'auto' | 'book' | 'donate' | 'pay' | undefined;
  taxIds?: boolean | undefined;
  locale?: Stripe.Checkout.Session.Locale | undefined;
  billingAddressCollection?: 'auto' | 'required' | undefined;
}

export function createSession(world: World, input: SessionInput): Stripe.Checkout.Session {
  const id = world.ids.next('cs_test_', 58);
  return world.sessions.add({
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: input.allowedTypes ?? null,
    amount_subtotal: input.amount,
    amount_total: input.amount,
    automatic_tax: {
      enabled: input.hasAutomaticTax,
      liability: input.hasAutomaticTax ? { type: 'self' } : null,
      provider: input.hasAutomaticTax ? 'stripe' : null,
      status: input.hasAutomaticTax ? 'requires_location_inputs' : null,
    },
    billing_address_collection: input.billingAddressCollection ?? null,
    cancel_url: input.cancelUrl ?? null,
    client_reference_id: input.clientReferenceId ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: world.seconds(),
    currency: input.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: input.customer ?? null,
    customer_account: null,
    customer_creation: input.customer === undefined ? 'if_required' : null,
    customer_details: null,
    customer_email: input.customerEmail ?? null,
    discounts: [],
    expires_at: input.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: {
      enabled: input.invoiceCreation?.enabled ?? false,
      invoice_data: {
        account_tax_ids: null,
        custom_fields: null,
        description: null,
        footer: null,
        issuer: null,
        metadata: {},
        rendering_options: null,
        ...input.invoiceCreation?.data,
      },
    },
    livemode: false,
    locale: input.locale ?? null,
    managed_payments: null,
    metadata: input.metadata ?? {},
    mode: 'payment',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: input.allowedTypes ?? [...PAYMENT_METHOD_TYPES],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: input.submitType ?? null,
    subscription: null,
    success_url: input.successUrl,
    ...(input.taxIds === true ? { tax_id_collection: { enabled: true, required: 'never' } } : {}),
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: input.url(id),
    wallet_options: null,
  });
}

/** Words for the line of a session. */
export interface LineInput {
  name: string;
  unitAmount: number;
  quantity: number;
  currency: string;
  metadata: Record<string, string>;
}

export function createLineItem(world: World, input: LineInput): Stripe.LineItem {
  const { name, unitAmount, quantity, currency, metadata } = input;
  const amount = unitAmount * quantity;
  const price: Stripe.Price = {
    id: world.ids.next('price_'),
    object: 'price',
    active: false,
    billing_scheme: 'per_unit',
    created: world.seconds(),
    currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: world.ids.next('prod_', 14),
    recurring: null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'one_time',
    unit_amount: unitAmount,
    unit_amount_decimal: Stripe.Decimal.from(unitAmount),
  };
  return {
    id: world.ids.next('li_'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description: name,
    metadata,
    price,
    quantity,
  };
}

import type { Stripe } from 'stripe';
import type { World } from '../state/world.ts';

export interface IntentInput {
  amount: number;
  currency: string;
  allowedTypes?: string[] | undefined;
  captureMethod?: 'automatic' | 'automatic_async' | 'manual' | undefined;
  customer?: string | undefined;
  description?: string | undefined;
  metadata?: Record<string, string> | undefined;
  paymentMethod?: string | undefined;
  receiptEmail?: string | undefined;
  setupFutureUsage?: 'off_session' | 'on_session' | undefined;
  statementDescriptorSuffix?: string | undefined;
  /** Whether the caller chose automatic payment methods; null if a checkout session did. */
  automatic?: { allow_redirects: 'always' | 'never' } | null | undefined;
}

/** Types that pay where nothing else is said. */
export const PAYMENT_METHOD_TYPES = ['card', 'us_bank_account'];

export function createIntent(world: World, input: IntentInput): Stripe.PaymentIntent {
  const id = world.ids.next('pi_');
  const allowed = input.allowedTypes ?? null;
  return world.paymentIntents.add({
    id,
    object: 'payment_intent',
    allowed_payment_method_types: allowed === null ? null : [...allowed],
    amount: input.amount,
    amount_capturable: 0,
    amount_details: {},
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods:
      input.automatic === null || allowed !== null
        ? null
        : { enabled: true, allow_redirects: input.automatic?.allow_redirects ?? 'always' },
    canceled_at: null,
    cancellation_reason: null,
    capture_method: input.captureMethod ?? 'automatic_async',
    client_secret: `${id}_secret_${world.ids.next('', 25)}`,
    confirmation_method: 'automatic',
    created: world.seconds(),
    currency: input.currency,
    customer: input.customer ?? null,
    customer_account: null,
    description: input.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: input.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: input.paymentMethod ?? null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: allowed ?? [...PAYMENT_METHOD_TYPES],
    payment_record: null,
    processing: null,
    receipt_email: input.receiptEmail ?? null,
    review: null,
    setup_future_usage: input.setupFutureUsage ?? null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: input.statementDescriptorSuffix ?? null,
    status: input.paymentMethod === undefined ? 'requires_payment_method' : 'requires_confirmation',
    transfer_data: null,
    transfer_group: null,
  });
}

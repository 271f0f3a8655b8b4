import type { Stripe } from 'stripe';
import type { Decline } from '../payments/instruments.ts';
import type { World } from '../state/world.ts';
import { idOf } from './id-of.ts';

/** How an attempt to charge ended, or that its end is not known. */
export type ChargeState =
  | { status: 'succeeded'; captured: boolean }
  | { status: 'pending' }
  | { status: 'failed'; decline: Decline };

export function createCharge(
  world: World,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  state: ChargeState,
  isAuthenticated: boolean,
): Stripe.Charge {
  const id = world.ids.next(method.type === 'card' ? 'ch_' : 'py_');
  const isCaptured = state.status === 'pending' || (state.status === 'succeeded' && state.captured);
  const decline = state.status === 'failed' ? state.decline : null;
  return world.charges.add({
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: isCaptured ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: structuredClone(method.billing_details),
    calculated_statement_descriptor: 'TOLLGATE TEST',
    captured: isCaptured,
    created: world.seconds(),
    currency: intent.currency,
    customer: idOf(intent.customer),
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: outcomeOf(state),
    paid: state.status === 'succeeded',
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: detailsOf(intent, method, isAuthenticated),
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: state.status === 'succeeded' ? `${world.origin}/receipts/${id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: state.status,
    transfer_data: null,
    transfer_group: null,
  });
}

/** What the payment method's network said. */
export function outcomeOf(state: ChargeState): Stripe.Charge.Outcome {
  const decline = state.status === 'failed' ? state.decline : null;
  return {
    advice_code: decline === null ? null : 'try_again_later',
    network_advice_code: null,
    network_decline_code: null,
    network_status: decline === null ? 'approved_by_network' : 'declined_by_network',
    reason: decline === null ? null : decline.declineCode,
    seller_message: decline === null ? 'Payment complete.' : 'The bank returned a decline.',
    type: decline === null ? 'authorized' : 'issuer_declined',
  };
}

function detailsOf(
  { amount }: Stripe.PaymentIntent,
  { card, us_bank_account: account, type }: Stripe.PaymentMethod,
  isAuthenticated: boolean,
): Stripe.Charge.PaymentMethodDetails {
  if (card === undefined) {
    return {
      type,
      us_bank_account: {
        account_holder_type: account?.account_holder_type ?? null,
        account_type: account?.account_type ?? null,
        bank_name: account?.bank_name ?? null,
        fingerprint: account?.fingerprint ?? null,
        last4: account?.last4 ?? null,
        payment_reference: null,
        routing_number: account?.routing_number ?? null,
      },
    };
  }
  return {
    type,
    card: {
      amount_authorized: amount,
      authorization_code: null,
      brand: card.brand,
      checks: card.checks,
      country: card.country,
      electronic_commerce_indicator: null,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      extended_authorization: { status: 'disabled' },
      fingerprint: card.fingerprint ?? null,
      funding: card.funding,
      incremental_authorization: { status: 'unavailable' },
      installments: null,
      last4: card.last4,
      mandate: null,
      multicapture: { status: 'unavailable' },
      network: card.brand,
      network_token: { used: false },
      network_transaction_id: null,
      overcapture: { maximum_amount_capturable: amount, status: 'unavailable' },
      regulated_status: 'unregulated',
      three_d_secure: isAuthenticated
        ? {
            authentication_flow: 'challenge',
            electronic_commerce_indicator: '05',
            exemption_indicator: null,
            result: 'authenticated',
            result_reason: null,
            transaction_id: null,
            version: '2.2.0',
          }
        : null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

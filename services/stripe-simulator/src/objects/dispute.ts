import type { Stripe } from 'stripe';
import type { World } from '../state/world.ts';
import { idOf } from './id-of.ts';

export interface DisputeInput {
  charge: Stripe.Charge;
  amount: number;
  reason: string;
  /** An inquiry, which moves no money yet. */
  isWarning: boolean;
}

/** How long evidence may be sent. */
const EVIDENCE_SECONDS = 9 * 86_400;

export function createDispute(world: World, { charge, amount, reason, isWarning }: DisputeInput): Stripe.Dispute {
  const card = charge.payment_method_details?.card;
  return world.disputes.add({
    id: world.ids.next('du_'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: world.seconds(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: world.seconds() + EVIDENCE_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'manual',
    },
    intended_submission_method: null,
    is_charge_refundable: isWarning,
    livemode: false,
    metadata: {},
    payment_intent: idOf(charge.payment_intent),
    ...(card === undefined
      ? {}
      : {
          payment_method_details: {
            type: 'card',
            card: {
              brand: card.brand ?? 'visa',
              case_type: isWarning ? 'inquiry' : 'chargeback',
              network: card.network ?? 'visa',
              network_reason_code: reason === 'fraudulent' ? '10.4' : '13.1',
            },
          },
        }),
    reason,
    status: isWarning ? 'warning_needs_response' : 'needs_response',
  });
}

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

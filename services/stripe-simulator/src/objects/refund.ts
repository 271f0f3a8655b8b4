import type { Stripe } from 'stripe';
import type { World } from '../state/world.ts';
import { idOf } from './id-of.ts';

export interface RefundInput {
  amount: number;
  charge: Stripe.Charge;
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer' | undefined;
  metadata?: Record<string, string> | undefined;
}

export function createRefund(world: World, { amount, charge, reason, metadata }: RefundInput): Stripe.Refund {
  const isCard = charge.payment_method_details?.type === 'card';
  return world.refunds.add({
    id: world.ids.next(isCard ? 're_' : 'pyr_'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: world.seconds(),
    currency: charge.currency,
    customer: idOf(charge.customer),
    customer_account: null,
    destination_details: isCard
      ? {
          card: { type: 'refund' },
          type: 'card',
        }
      : { type: 'us_bank_transfer', us_bank_transfer: { reference: null, reference_status: null } },
    metadata: metadata ?? {},
    payment_intent: idOf(charge.payment_intent),
    payment_method: charge.payment_method,
    reason: reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: isCard ? 'succeeded' : 'pending',
    transfer_reversal: null,
  });
}

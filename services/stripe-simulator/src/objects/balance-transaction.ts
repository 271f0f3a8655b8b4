import type { Stripe } from 'stripe';
import type { World } from '../state/world.ts';

/** Fee of a dispute, in cents. */
export const DISPUTE_FEE = 1_500;

/** Fee of a payment, in cents: 2.9 % and 30 cents. */
export function feeOf(amount: number): number {
  return Math.round(amount * 0.029) + 30;
}

export interface Movement {
  type: Stripe.BalanceTransaction.Type;
  /** The charge, refund or dispute that moves money. */
  source: string;
  /** Negative for money that leaves. */
  amount: number;
  /** Negative for a fee that is given back. */
  fee: number;
  currency: string;
}

/** Books what moves money at the simulated Stripe. */
export function createBalanceTransaction(world: World, movement: Movement): Stripe.BalanceTransaction {
  const { type, source, amount, fee, currency } = movement;
  return world.balanceTransactions.add({
    id: world.ids.next('txn_'),
    object: 'balance_transaction',
    amount,
    available_on: world.seconds() + 2 * 86_400,
    balance_type: 'payments',
    created: world.seconds(),
    currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [{ amount: fee, application: null, currency, description: 'Stripe processing fees', type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: type === 'adjustment' ? 'dispute' : type === 'payment' ? 'charge' : type,
    source,
    status: 'pending',
    type,
  });
}

import type { Stripe } from 'stripe';
import { badState } from '../api/failure.ts';
import { createBalanceTransaction, DISPUTE_FEE } from '../objects/balance-transaction.ts';
import { createDispute } from '../objects/dispute.ts';
import { idOf } from '../objects/id-of.ts';
import { change, emit } from '../state/events.ts';
import type { World } from '../state/world.ts';

export interface DisputeOptions {
  /** Default: what the charge has captured. */
  amount?: number | undefined;
  /** Default: `fraudulent`. */
  reason?: string | undefined;
  /** An inquiry, which moves no money unless it becomes a dispute. */
  isWarning?: boolean | undefined;
}

/** How a dispute ends. */
export type DisputeEnd = 'won' | 'lost' | 'warning_closed';

/** The owner of the payment method asks the bank for the money. */
export function dispute(world: World, charge: Stripe.Charge, options: DisputeOptions): Stripe.Dispute {
  const { amount = charge.amount_captured, reason = 'fraudulent', isWarning = false } = options;
  const opened = createDispute(world, { charge, amount, reason, isWarning });
  const before = change(charge, { disputed: true });
  if (!isWarning) withdraw(world, opened);
  emit(world, 'charge.dispute.created', opened);
  emit(world, 'charge.updated', charge, before);
  if (!isWarning) emit(world, 'charge.dispute.funds_withdrawn', opened);
  return opened;
}

/** An inquiry becomes a dispute. @throws StripeFailure unless it is an open inquiry */
export function escalate(world: World, inquiry: Stripe.Dispute): void {
  if (inquiry.status !== 'warning_needs_response') throw notOpen(inquiry);
  const transactions = [...inquiry.balance_transactions];
  withdraw(world, inquiry);
  const before = change(inquiry, { status: 'needs_response', is_charge_refundable: false });
  emit(world, 'charge.dispute.updated', inquiry, { ...before, balance_transactions: transactions });
  emit(world, 'charge.dispute.funds_withdrawn', inquiry);
}

/** The bank decides. @throws StripeFailure if it has decided before */
export function closeDispute(world: World, open: Stripe.Dispute, end: DisputeEnd): void {
  const isWarning = open.status === 'warning_needs_response';
  if (open.status !== 'needs_response' && !isWarning) throw notOpen(open);
  if (isWarning !== (end === 'warning_closed')) {
    throw badState(`A dispute with status ${open.status} cannot end as ${end}.`, 'dispute_unexpected_state');
  }
  if (end === 'won') book(world, open, open.amount, -DISPUTE_FEE);
  const before = change(open, { status: end });
  emit(world, 'charge.dispute.closed', open, before);
  if (end === 'won') emit(world, 'charge.dispute.funds_reinstated', open);
}

function withdraw(world: World, opened: Stripe.Dispute): void {
  book(world, opened, -opened.amount, DISPUTE_FEE);
}

function book(world: World, of: Stripe.Dispute, amount: number, fee: number): void {
  const { currency } = of;
  const transaction = createBalanceTransaction(world, { type: 'adjustment', source: of.id, amount, fee, currency });
  of.balance_transactions = [...of.balance_transactions, structuredClone(transaction)];
}

function notOpen({ id, status, charge }: Stripe.Dispute): Error {
  return badState(`Dispute ${id} of ${idOf(charge) ?? ''} has a status of ${status}.`, 'dispute_unexpected_state');
}

import type { Stripe } from 'stripe';
import { badParameter, badState, StripeFailure } from '../api/failure.ts';
import { createBalanceTransaction } from '../objects/balance-transaction.ts';
import { idOf } from '../objects/id-of.ts';
import { createRefund, type RefundInput } from '../objects/refund.ts';
import { change, emit } from '../state/events.ts';
import type { World } from '../state/world.ts';

/** @throws StripeFailure if the charge has not so much left */
export function refund(
  world: World,
  input: Omit<RefundInput, 'amount'> & { amount?: number | undefined },
): Stripe.Refund {
  const { charge } = input;
  const left = charge.amount_captured - charge.amount_refunded;
  const isDisputed = world.disputes.find((dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable);
  if (isDisputed !== undefined) {
    throw badState(`Charge ${charge.id} has been charged back; cannot issue a refund.`, 'charge_disputed');
  }
  if (charge.status !== 'succeeded' || !charge.captured) {
    throw new StripeFailure(400, `Charge ${charge.id} has not been paid and cannot be refunded.`);
  }
  if (left === 0) throw badState(`Charge ${charge.id} has already been refunded.`, 'charge_already_refunded');
  const amount = input.amount ?? left;
  if (amount < 1) throw badParameter('amount', 'Invalid positive integer', 'parameter_invalid_integer');
  if (amount > left) {
    throw badParameter('amount', `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`);
  }
  const created = createRefund(world, { ...input, amount });
  const { id } = createBalanceTransaction(world, {
    type: created.status === 'succeeded' ? 'refund' : 'payment_refund',
    source: created.id,
    amount: -amount,
    fee: 0,
    currency: charge.currency,
  });
  created.balance_transaction = id;
  const total = charge.amount_refunded + amount;
  const before = change(charge, { amount_refunded: total, refunded: total === charge.amount_captured });
  emit(world, 'refund.created', created);
  emit(world, 'charge.refunded', charge, before);
  return created;
}

/** A refund did not arrive: its money comes back. @throws StripeFailure if it has failed before */
export function failRefund(world: World, failing: Stripe.Refund, reason: string): void {
  if (failing.status === 'failed')
    throw badState(`Refund ${failing.id} has already failed.`, 'resource_already_failed');
  const { id } = createBalanceTransaction(world, {
    type: 'refund_failure',
    source: failing.id,
    amount: failing.amount,
    fee: 0,
    currency: failing.currency,
  });
  const before = change(failing, { status: 'failed', failure_reason: reason, failure_balance_transaction: id });
  const charge = world.charges.get(idOf(failing.charge) ?? '');
  const total = (charge?.amount_refunded ?? 0) - failing.amount;
  const chargeBefore = charge === undefined ? {} : change(charge, { amount_refunded: total, refunded: false });
  emit(world, 'refund.failed', failing, before);
  emit(world, 'refund.updated', failing, before);
  emit(world, 'charge.refund.updated', failing, before);
  if (charge !== undefined) emit(world, 'charge.updated', charge, chargeBefore);
}

/** A refund to a bank account arrives. @throws StripeFailure unless it is pending */
export function settleRefund(world: World, pending: Stripe.Refund): void {
  if (pending.status !== 'pending') throw badState(`Refund ${pending.id} is not pending.`, 'resource_not_pending');
  const before = change(pending, { status: 'succeeded' });
  emit(world, 'refund.updated', pending, before);
  emit(world, 'charge.refund.updated', pending, before);
}

import { originOf } from '@tollgate/payments/providers/origin';
import type { Objects } from '@tollgate/stripe-simulator/control/control';

/** What the payment provider's books imply for an account. */
export interface Expected {
  /** Deposits by their key, in cents. */
  deposits: Record<string, number>;
  /** What is left of them after refunds and disputes, in cents. */
  leftCents: number;
  /** A dispute that took money is not decided. */
  isDisputed: boolean;
}

/** Reads from the objects of the provider what the ledger must have, by account. Independent of payments. */
export function expectedOf({ payment_intents, refunds, disputes }: Objects): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  for (const intent of payment_intents) {
    const origin = originOf(intent.metadata);
    if (origin === undefined || origin === 'malformed' || intent.amount_received === 0) continue;
    const account = expected.get(origin.accountId) ?? { deposits: {}, leftCents: 0, isDisputed: false };
    account.deposits[`stripe:${intent.id}`] = intent.amount_received;
    const refunded = refunds
      .filter((each) => each.payment_intent === intent.id && each.status !== 'failed' && each.status !== 'canceled')
      .reduce((sum, { amount }) => sum + amount, 0);
    const own = disputes.filter((each) => each.payment_intent === intent.id);
    account.isDisputed ||= own.some(({ status }) => status === 'needs_response');
    const disputed = own.flatMap((each) => each.balance_transactions).reduce((sum, { amount }) => sum - amount, 0);
    account.leftCents += intent.amount_received - refunded - disputed;
    expected.set(origin.accountId, account);
  }
  return expected;
}

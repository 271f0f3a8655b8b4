import { compareMoney, paidMoney, parseMoney } from '../../format/money.ts';
import { ENTER_CENTS, readCents } from './cents.ts';

/** What the form holds: texts as they were typed. */
export interface RefundDraft {
  amount: string;
  reason: string;
}

/** Reads a draft: what to send beside the idempotency key, or what is wrong by field. `left` can be paid back. */
export function readRefund(
  draft: RefundDraft,
  left: string,
): { refund: RefundDraft; errors: null } | { refund: null; errors: Record<string, string> } {
  const errors: Record<string, string> = {};
  const reason = draft.reason.trim();
  const amount = readCents(draft.amount);
  if (amount === null || parseMoney(amount) === 0n) errors['amount'] = ENTER_CENTS;
  else if (compareMoney(amount, left) > 0) errors['amount'] = `${paidMoney(left)} of this payment is left.`;
  if (reason === '') errors['reason'] = 'Enter a reason. It is kept in the audit log.';
  else if (reason.length > 500) errors['reason'] = 'A reason has at most 500 characters.';
  if (amount === null || Object.keys(errors).length > 0) return { refund: null, errors };
  return { refund: { amount, reason }, errors: null };
}

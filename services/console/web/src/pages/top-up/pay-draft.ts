import type { Output } from '../../api/client.ts';
import { compareMoney, paidMoney } from '../../format/money.ts';
import { ENTER_CENTS, readCents, typedAs } from './cents.ts';

export type PaymentOptions = Output<'GET /accounts/{account_id}/payment-options'>;
type Bounds = Pick<PaymentOptions, 'min_amount' | 'max_amount' | 'daily_limit' | 'daily_left'>;

/** Reads an amount as it was typed: what to pay, or what is wrong with it. */
export function readPayment(
  text: string,
  bounds: Bounds,
): { amount: string; error: null } | { amount: null; error: string } {
  const amount = readCents(text);
  if (amount === null) return wrong(ENTER_CENTS);
  if (compareMoney(amount, bounds.min_amount) < 0) return wrong(`The least is ${paidMoney(bounds.min_amount)}.`);
  if (compareMoney(amount, bounds.max_amount) > 0)
    return wrong(`The most in one payment is ${paidMoney(bounds.max_amount)}.`);
  if (compareMoney(amount, bounds.daily_left) > 0)
    return wrong(`${paidMoney(bounds.daily_left)} can be paid in now. ${limitText(bounds)}`);
  return { amount, error: null };
}

function wrong(error: string): { amount: null; error: string } {
  return { amount: null, error };
}

/** What can be paid now, beside the field. */
export function boundsText(bounds: Bounds): string {
  const { min_amount, max_amount, daily_left } = bounds;
  if (compareMoney(daily_left, max_amount) >= 0) return `${paidMoney(min_amount)} to ${paidMoney(max_amount)}.`;
  return `${paidMoney(min_amount)} to ${paidMoney(daily_left)}. ${limitText(bounds)}`;
}

/** Why less than the most can be paid in now. */
export function limitText({ daily_limit }: Bounds): string {
  return `An account pays in at most ${paidMoney(daily_limit)} within 24 hours.`;
}

/** Whether the account has reached its limit: not even the least amount can be paid. */
export function isLimitReached({ min_amount, daily_left }: Bounds): boolean {
  return compareMoney(daily_left, min_amount) < 0;
}

/** The offered amounts that can be paid now. */
export function offeredNow(options: PaymentOptions): string[] {
  return options.offered_amounts.filter((amount) => readPayment(typedAs(amount), options).error === null);
}

import { badParameter } from '../api/failure.ts';

/** Smallest and largest amount of a payment in US dollars, in cents. */
const MIN_AMOUNT = 50;
const MAX_AMOUNT = 99_999_999;

/** @throws StripeFailure for an amount that Stripe does not charge */
export function checkAmount(param: string, amount: number, currency: string): void {
  if (amount < 1)
    throw badParameter(param, 'This value must be greater than or equal to 1.', 'parameter_invalid_integer');
  if (amount < MIN_AMOUNT) {
    throw badParameter(param, `Amount must be at least $0.50 ${currency}`, 'amount_too_small');
  }
  if (amount > MAX_AMOUNT) {
    throw badParameter(param, `Amount must be no more than $999,999.99 ${currency}`, 'amount_too_large');
  }
}

/** @throws StripeFailure for what is no URL of a web page */
export function checkUrl(param: string, value: string | undefined): void {
  if (value === undefined) return;
  const url = URL.parse(value);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return;
  throw badParameter(param, 'Not a valid URL', 'url_invalid');
}

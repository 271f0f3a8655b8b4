import type { Item } from '../../api/client.ts';
import type { Tone } from '../../components/badge.tsx';
import { paidMoney, parseMoney, toMoney } from '../../format/money.ts';
import { failureText } from './failure-text.ts';

export type Payment = Item<'GET /accounts/{account_id}/payments'>;

const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
};

/** A card as people know it: `Visa 4242`. */
export function cardName(brand: string, last4: string): string {
  const name = Object.hasOwn(BRANDS, brand) ? BRANDS[brand] : brand.charAt(0).toUpperCase() + brand.slice(1);
  return `${name} ${last4}`.trim();
}

/** What became of a payment, in one line: with what it was paid, or why not. */
export function paymentLine(payment: Payment): { tone: Tone; text: string } {
  switch (payment.state) {
    case 'settled':
      return settledLine(payment);
    case 'pending':
      return {
        tone: 'neutral',
        text: isUnderWay(payment)
          ? 'Under way'
          : payment.failure === null
            ? 'Not paid yet'
            : `Not paid yet. ${failureText(payment.failure)}`,
      };
    case 'failed':
      return { tone: 'bad', text: failureText(payment.failure) };
    default:
      return payment.state satisfies never;
  }
}

/** A saved card is being charged. */
function isUnderWay({ automatic, checkout_url }: Payment): boolean {
  return automatic && checkout_url === null;
}

function settledLine({ method, automatic, refunded, disputed }: Payment): { tone: Tone; text: string } {
  const [brand = '', ...others] = (method ?? '').split(' ');
  const paidWith = brand === '' ? 'Paid' : cardName(brand, others.join(' '));
  const [isRefunded, isDisputed] = [parseMoney(refunded) > 0n, parseMoney(disputed) > 0n];
  const text = [
    paidWith,
    automatic ? 'automatic' : [],
    isRefunded ? `${paidMoney(refunded)} refunded` : [],
    isDisputed ? `${paidMoney(disputed)} disputed` : [],
  ].flat();
  return { tone: isDisputed ? 'warn' : 'good', text: text.join(', ') };
}

/** What of a payment's credit can still be paid back; null: nothing. */
export function refundable({ state, credited, refunded, disputed }: Payment): string | null {
  const left = parseMoney(credited) - parseMoney(refunded) - parseMoney(disputed);
  return state === 'settled' && left > 0n ? toMoney(left) : null;
}

interface Expiry {
  expires_month: number;
  expires_year: number;
}

/** A card is good until the end of its month. `now` is Unix milliseconds. */
export function hasExpired({ expires_month, expires_year }: Expiry, now: number): boolean {
  return now >= Date.UTC(expires_year, expires_month);
}

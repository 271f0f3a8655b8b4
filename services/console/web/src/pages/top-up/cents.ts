import { paidMoney, parseMoney, toMoney } from '../../format/money.ts';

/** An amount in whole cents as people type it (`$1,250.50`), as the API takes it; null: it is none. */
export function readCents(text: string): string | null {
  const typed = text
    .trim()
    .replace(/^\$\s*/, '')
    .replaceAll(',', '');
  return /^\d{1,9}(\.\d{1,2})?$/.test(typed) ? toMoney(parseMoney(typed)) : null;
}

/** What to enter instead. */
export const ENTER_CENTS = 'Enter an amount in dollars and cents, such as 50 or 12.50.';

/** An amount as people type it: `50`, `12.50`. */
export function typedAs(amount: string): string {
  return paidMoney(amount).replace('$', '').replaceAll(',', '');
}

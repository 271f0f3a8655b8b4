import { formatDollars, NANOS_PER_DOLLAR, parseDollars } from '@tollgate/common/money';

/*
 * Amounts and times of events, as alerts write them. An event of a later version may lack one.
 */

const NANOS_PER_CENT = NANOS_PER_DOLLAR / 100n;

/** Rounded to cents, as the console shows balances. */
export function cents(amount: string | undefined): string {
  const nanos = amount === undefined ? undefined : parseDollars(amount);
  if (nanos === undefined || nanos <= 0n) return dollars(amount);
  const rounded = ((nanos + NANOS_PER_CENT / 2n) / NANOS_PER_CENT) * NANOS_PER_CENT;
  return rounded === 0n ? 'less than $0.01' : dollars(formatDollars(rounded));
}

/** With at least the cents, and every further digit there is. */
export function dollars(amount: string | undefined): string {
  if (amount === undefined) return '$?';
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  return `${amount.startsWith('-') ? '-' : ''}$${whole}.${fraction.padEnd(2, '0')}`;
}

/** `2026-12-01 08:00 UTC` */
export function minute(time: string | undefined): string {
  return time === undefined ? 'an unknown time' : `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

const DAY_MS = 86_400_000;

/** The end of a period: `the end of 2026-11-30 UTC` instead of the midnight after that day, else its minute. */
export function end(time: string | undefined): string {
  const ms = Date.parse(time ?? '');
  if (ms % DAY_MS !== 0) return minute(time);
  return `the end of ${new Date(ms - 1).toISOString().slice(0, 10)} UTC`;
}

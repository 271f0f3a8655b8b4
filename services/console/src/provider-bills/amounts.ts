import { divideHalfEven } from '@tollgate/common/money';

/** Digits before the point, after it, and of the exponent that a bill may have. */
const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i;
const MAX_DIGITS = 60;

/**
 * A decimal text with any number of digits, in units of 10^-`digits`, rounded half to even: nano-dollars of dollars with 9, of cents
 * with 7.
 *
 * @returns undefined when the text is no number, or a larger one than a bill has
 */
export function parseAmount(text: string, digits: number): bigint | undefined {
  const match = DECIMAL.exec(text.trim().replace(/^\$/, ''));
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = digits + Number(exponent) - fraction.length;
  if (Math.abs(shift) > MAX_DIGITS) return undefined;
  const value = BigInt(whole + fraction);
  const magnitude = shift >= 0 ? value * 10n ** BigInt(shift) : divideHalfEven(value, 10n ** BigInt(-shift));
  return sign === '-' ? -magnitude : magnitude;
}

/** A whole number of tokens. */
export function parseTokens(text: string): bigint | undefined {
  return /^\d{1,18}(?:\.0+)?$/.test(text) ? BigInt(text.replace(/\.0+$/, '')) : undefined;
}

/** A date, or the date of a time, in UTC; undefined when the text is neither. */
export function parseDay(text: string): string | undefined {
  if (/^\d{9,11}$/.test(text)) return dayOfTime(Number(text) * 1_000);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return dayOfTime(Date.parse(`${text}T00:00:00Z`));
  const time = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|[+-]\d\d:?\d\d)?$/.exec(text);
  if (time === null) return undefined;
  const [, date, clock, zone = 'Z'] = time;
  return dayOfTime(Date.parse(`${date}T${clock}${zone === 'UTC' ? 'Z' : zone}`));
}

function dayOfTime(unixMs: number): string | undefined {
  return Number.isNaN(unixMs) ? undefined : new Date(unixMs).toISOString().slice(0, 10);
}

/** The currency of all amounts. */
export const CURRENCY = 'USD';

/** Nano-dollars in one dollar. All money is a `bigint` of nano-dollars (USD). */
export const NANOS_PER_DOLLAR = 1_000_000_000n;

/** Prices are nano-dollars per this many tokens or items. */
export const UNITS_PER_RATE = 1_000_000n;

/** A discount of 100 percent, in parts per million. */
export const FULL_DISCOUNT_PPM = 1_000_000;

/**
 * The amount of one charge line: quantity * rate * (1,000,000 - discount) / 10^12, rounded half to even once. No
 * argument may be negative; the discount is in parts per million of the list price, at most FULL_DISCOUNT_PPM.
 */
export function lineAmount(quantity: bigint, nanosPerMillion: bigint, discountPpm = 0): bigint {
  if (discountPpm === 0) return divideHalfEven(quantity * nanosPerMillion, UNITS_PER_RATE);
  const product = quantity * nanosPerMillion * BigInt(FULL_DISCOUNT_PPM - discountPpm);
  return divideHalfEven(product, UNITS_PER_RATE * BigInt(FULL_DISCOUNT_PPM));
}

/** A quotient, rounded half to even. The dividend may not be negative, and the divisor must be positive. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor;
  const twiceRest = (dividend % divisor) * 2n;
  if (twiceRest < divisor) return whole;
  if (twiceRest > divisor) return whole + 1n;
  return whole % 2n === 0n ? whole : whole + 1n;
}

/** An amount, or nothing for a negative one. */
export function atLeastZero(nanos: bigint): bigint {
  return nanos > 0n ? nanos : 0n;
}

/** The smaller of two amounts. */
export function minBigInt(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Exact dollars as a decimal text without trailing zeros, such as `0.00012` or `-3`. It is also a valid JSON number. */
export function formatDollars(nanos: bigint): string {
  return formatDecimal(nanos, 9);
}

/** `value` / 10^`digits` as a decimal text without trailing zeros. */
export function formatDecimal(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : '';
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  const whole = text.slice(0, text.length - digits);
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/**
 * Reads a decimal text of dollars, with at most nine digits after the point.
 *
 * @returns undefined when the text is not such a number
 */
export function parseDollars(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const magnitude = BigInt(whole) * NANOS_PER_DOLLAR + BigInt(fraction.padEnd(9, '0'));
  return sign === '-' ? -magnitude : magnitude;
}

/** Parts per million of one percent. */
const PPM_PER_PERCENT = 10_000;

/** Parts per million as percent, in exact decimal text such as `12.5`. */
export function formatPercent(ppm: number): string {
  return formatDecimal(BigInt(ppm), 4);
}

/**
 * Reads a percentage with at most four digits before and after the point; returns parts per million.
 *
 * @returns undefined when the text is not such a number
 */
export function parsePercent(text: string): number | undefined {
  const match = /^(-?)(\d{1,4})(?:\.(\d{1,4}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const ppm = Number(whole) * PPM_PER_PERCENT + Number(fraction.padEnd(4, '0'));
  return sign === '-' && ppm > 0 ? -ppm : ppm;
}

/** A factor in parts per million, in exact decimal text such as `1.1`. */
export function formatFactor(ppm: bigint): string {
  return formatDecimal(ppm, 6);
}

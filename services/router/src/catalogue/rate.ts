import { parseDollars } from '@tollgate/common/money';

/** Maximum rate: a million dollars per million tokens. */
const MAX_NANOS_PER_MILLION = 1_000_000n * 1_000_000_000n;

export type RateResult = { ok: true; nanosPerMillion: bigint } | { ok: false; message: string };

/** Reads dollars per million from decimal text, exactly, without floating-point numbers. */
export function parseRate(text: string): RateResult {
  if (/^\d+\.\d{10,}$/.test(text))
    return { ok: false, message: 'has more than nine decimals, which is below a nano-dollar' };
  const nanosPerMillion = /^\d/.test(text) ? parseDollars(text) : undefined;
  if (nanosPerMillion === undefined) {
    return { ok: false, message: 'must be a decimal number of dollars per million, such as 2.50, not negative' };
  }
  if (nanosPerMillion > MAX_NANOS_PER_MILLION) return { ok: false, message: 'is above a million dollars per million' };
  return { ok: true, nanosPerMillion };
}

/** Parts per million of the factor 1. */
export const FULL_PPM = 1_000_000n;

const MAX_MULTIPLIER = 100n;

export type MultiplierResult = { ok: true; ppm: bigint } | { ok: false; message: string };

/** Reads a factor from decimal text, exactly. */
export function parseMultiplier(text: string): MultiplierResult {
  const match = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return { ok: false, message: 'must be a decimal factor such as 1.1, with at most six decimals' };
  const [, whole = '0', fraction = ''] = match;
  const ppm = BigInt(whole) * FULL_PPM + BigInt(fraction.padEnd(6, '0'));
  if (ppm === 0n) return { ok: false, message: 'must be above 0' };
  if (ppm > MAX_MULTIPLIER * FULL_PPM) return { ok: false, message: `is above ${MAX_MULTIPLIER}` };
  return { ok: true, ppm };
}

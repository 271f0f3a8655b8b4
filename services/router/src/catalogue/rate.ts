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

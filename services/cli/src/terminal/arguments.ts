import { isUuid } from '@tollgate/common/ids';
import { FULL_DISCOUNT_PPM, parseDollars, parsePercent } from '@tollgate/common/money';
import { InvalidArgumentError } from 'commander';

/** Reads an amount of dollars exactly, such as `10.50` or `-3`. Not 0. */
export function amount(text: string): bigint {
  const nanos = parseDollars(text);
  if (nanos === undefined) {
    throw new InvalidArgumentError('It must be a decimal number of dollars with at most nine decimals, such as 10.50.');
  }
  if (nanos === 0n) throw new InvalidArgumentError('It must not be 0.');
  return nanos;
}

/** Reads amounts of dollars from a repeated argument; each may be 0. */
export function thresholds(text: string, before: bigint[] = []): bigint[] {
  return [...before, amountFromZero(text)];
}

/** Reads an amount of dollars exactly; it may be 0, not negative. */
export function amountFromZero(text: string): bigint {
  const nanos = parseDollars(text);
  if (nanos === undefined || nanos < 0n) {
    throw new InvalidArgumentError('It must be a decimal number of dollars, not negative, such as 2.50.');
  }
  return nanos;
}

/** Reads percent exactly, from 0 to 100 with at most four decimals. Returns parts per million. */
export function percent(text: string): number {
  const ppm = parsePercent(text);
  if (ppm === undefined || ppm > FULL_DISCOUNT_PPM) {
    throw new InvalidArgumentError(
      'It must be a decimal number from 0 to 100 with at most four decimals, such as 12.5.',
    );
  }
  return ppm;
}

/** Reads an id of an account, a key or a request. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}

/** Reads a trace id, dashed or not, as 32 hex digits. */
export function traceId(text: string): string {
  const digits = text.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new InvalidArgumentError('It must be 32 hex digits, as in x-trace-id.');
  return digits;
}

/** Reads a time: RFC 3339 with an offset, a date (midnight in UTC), or Unix seconds. Returns Unix milliseconds. */
export function time(text: string): number {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1_000;
  const complete = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const parsed = complete ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(parsed)) {
    throw new InvalidArgumentError('It must be a time such as 2026-05-01T12:00:00Z, a date, or Unix seconds.');
  }
  return parsed;
}

/** Reads how many items to list. */
export function count(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 100_000) throw new InvalidArgumentError('It must be an integer from 1 to 100000.');
  return value;
}

/** Reads a limit per minute. */
export function limit(text: string): bigint {
  return BigInt(wholeNumber(text, 1_000_000_000));
}

/** Reads a limit of requests open at the same time. */
export function openLimit(text: string): number {
  return wholeNumber(text, 1_000_000);
}

function wholeNumber(text: string, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw new InvalidArgumentError(`It must be an integer from 1 to ${max}.`);
  return value;
}

/** Reads a repeated tag, such as `team=search`. */
export function tag(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z]/.test(name)) {
    throw new InvalidArgumentError('It must be name=value with a name that begins with a letter, such as team=search.');
  }
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The tag ${name} is given twice.`);
  return { ...before, [name]: text.slice(at + 1) };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration, such as `90s`, `30m`, `12h`, `7d` or `0`. Returns milliseconds. */
export function duration(text: string): number {
  if (text === '0') return 0;
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    throw new InvalidArgumentError('It must be a duration such as 90s, 30m, 12h or 7d, or 0.');
  }
  return Number(match[1]) * unit;
}

/** Collects a repeated option. */
export function collect(text: string, before: string[]): string[] {
  return [...before, text];
}

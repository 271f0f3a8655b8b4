import { isUuid } from '@tollgate/common/ids';
import { parseDollars } from '@tollgate/common/money';
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

/** Reads amounts of dollars one after the other, 0 included. */
export function thresholds(text: string, before: bigint[] = []): bigint[] {
  return [...before, amountFromZero(text)];
}

/** Reads an amount of dollars exactly, 0 included and nothing below. */
export function amountFromZero(text: string): bigint {
  const nanos = parseDollars(text);
  if (nanos === undefined || nanos < 0n) {
    throw new InvalidArgumentError('It must be a decimal number of dollars, not below 0, such as 2.50.');
  }
  return nanos;
}

/** Reads per cent exactly, from 0 to 100 with at most four decimals. In parts per million. */
export function percent(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text);
  const ppm = match === null ? Number.NaN : Number(`${match[1]}${(match[2] ?? '').padEnd(4, '0')}`);
  if (!(ppm <= 1_000_000)) {
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

/** Reads a time: RFC 3339 with an offset, a date (midnight in UTC), or Unix seconds. In Unix milliseconds. */
export function time(text: string): number {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1_000;
  const complete = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const parsed = complete ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(parsed)) {
    throw new InvalidArgumentError('It must be a time such as 2026-05-01T12:00:00Z, a date, or Unix seconds.');
  }
  return parsed;
}

/** Reads a number of things to list. */
export function count(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 100_000) throw new InvalidArgumentError('It must be a whole number from 1 to 100000.');
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
  if (value < 1 || value > max) throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  return value;
}

/** Reads tags one after the other, such as `team=search`. */
export function tag(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z]/.test(name)) {
    throw new InvalidArgumentError('It must be a name that begins with a letter, = and a value, such as team=search.');
  }
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The tag ${name} is named twice.`);
  return { ...before, [name]: text.slice(at + 1) };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a length of time, such as `90s`, `30m`, `12h`, `7d` or `0`. In milliseconds. */
export function duration(text: string): number {
  if (text === '0') return 0;
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    throw new InvalidArgumentError('It must be a length of time such as 90s, 30m, 12h or 7d, or 0.');
  }
  return Number(match[1]) * unit;
}

/** Collects an option that may be given several times. */
export function collect(text: string, before: string[]): string[] {
  return [...before, text];
}

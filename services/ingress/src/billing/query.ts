import { isUuid } from '@tollgate/common/ids';
import { apiErrors } from '../errors/api-error.ts';

const DAY_MS = 86_400_000;
/** Records and hourly sums cover at most this many days, everything else `LONG_RANGE_DAYS`. */
export const SHORT_RANGE_DAYS = 31;
export const LONG_RANGE_DAYS = 366;

/** Query parameters as express parses them. */
export type Query = Record<string, unknown>;

export interface TimeRange {
  /** Inclusive, Unix milliseconds. */
  startMs: bigint;
  /** Exclusive, Unix milliseconds. */
  endMs: bigint;
}

/** Reads `start` and `end`; throws an ApiError that names the parameter and the limit. */
export function timeRange(query: Query, maxDays: number): TimeRange {
  const start = moment(query, 'start');
  const end = moment(query, 'end');
  if (end <= start) throw apiErrors.invalidRequest('end must be later than start.');
  if (end - start > maxDays * DAY_MS) {
    throw apiErrors.invalidRequest(
      `The range from start to end is longer than the ${maxDays} days that one call may cover.`,
    );
  }
  return { startMs: BigInt(start), endMs: BigInt(end) };
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const UNIX_SECONDS = /^\d{1,11}(\.\d{1,3})?$/;
const LATEST_MS = 253_402_300_800_000;

function moment(query: Query, name: string): number {
  const text = single(query, name);
  if (text === undefined)
    throw apiErrors.invalidRequest(`${name} is missing; give RFC 3339 with an offset, or Unix seconds.`);
  const ms = UNIX_SECONDS.test(text) ? Math.round(Number(text) * 1_000) : parseRfc3339(text);
  if (Number.isNaN(ms) || ms >= LATEST_MS) {
    throw apiErrors.invalidRequest(
      `${name} is not a time; give RFC 3339 with an offset, such as 2026-01-31T00:00:00Z, or Unix seconds.`,
    );
  }
  return ms;
}

/** Unix milliseconds, NaN when the text is not such a time. Date.parse alone takes 30 February for 2 March. */
function parseRfc3339(text: string): number {
  if (!RFC3339.test(text)) return Number.NaN;
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
}

/** Reads a parameter that may be given once; undefined when it is absent or empty. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw apiErrors.invalidRequest(`${name} is given more than once.`);
  if (value.length > 500) throw apiErrors.invalidRequest(`${name} is longer than 500 characters.`);
  return value;
}

/** Reads a whole number within bounds. */
export function wholeNumber(query: Query, name: string, min: number, max: number, fallback: number): number {
  const text = single(query, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw apiErrors.invalidRequest(`${name} must be a whole number from ${min} to ${max}.`);
  return value;
}

/** Reads one of a closed list of words. */
export function oneOf<T extends string>(query: Query, name: string, allowed: readonly T[]): T | undefined {
  const text = single(query, name);
  if (text === undefined) return undefined;
  const found = allowed.find((word) => word === text);
  if (found === undefined) throw apiErrors.invalidRequest(`${name} must be one of ${allowed.join(', ')}.`);
  return found;
}

/** Reads a list of words parted by commas, each of a closed list. */
export function someOf<T extends string>(query: Query, name: string, allowed: readonly T[]): ReadonlySet<T> {
  const text = single(query, name) ?? '';
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return new Set(
    words.map((word) => {
      const found = allowed.find((candidate) => candidate === word);
      if (found === undefined) throw apiErrors.invalidRequest(`${name} may hold ${allowed.join(', ')}.`);
      return found;
    }),
  );
}

/** Checks a UUID parameter. */
export function uuid(text: string, name: string): string {
  if (!isUuid(text)) throw apiErrors.invalidRequest(`${name} is not a UUID.`);
  return text.toLowerCase();
}

import { apiErrors } from '../../shared/errors/api-error.ts';
import { optionalText, type Query } from './query.ts';

const DAY_MS = 86_400_000;

/** The maximum range of one call, and what it returns. */
export interface RangeLimit {
  days: number;
  what: string;
}

export const RANGES = {
  records: { days: 31, what: 'records' },
  hourlySums: { days: 31, what: 'hourly sums' },
  sums: { days: 366, what: 'daily or monthly sums' },
  deposits: { days: 366, what: 'deposits' },
} as const satisfies Record<string, RangeLimit>;

export interface TimeRange {
  /** Inclusive, Unix milliseconds. */
  startMs: bigint;
  /** Exclusive, Unix milliseconds. */
  endMs: bigint;
}

/** Parses `start` and `end`; throws an ApiError that names the parameter and the limit. */
export function parseTimeRange(query: Query, { days, what }: RangeLimit): TimeRange {
  const start = parseTime(query, 'start');
  const end = parseTime(query, 'end');
  if (end <= start) throw apiErrors.invalidRequest('end must be later than start: start is included, end is not.');
  if (end - start > days * DAY_MS) {
    throw apiErrors.invalidRequest(
      `The range from start to end is longer than the ${days} days that one call for ${what} may cover.`,
    );
  }
  return { startMs: BigInt(start), endMs: BigInt(end) };
}

const FORMS = 'give RFC 3339 with an offset, such as 2026-01-31T00:00:00Z, or Unix seconds';
const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
/** An offset with an unencoded plus sign, which means a space in a query. */
const LOST_PLUS = /T\d{2}:\d{2}:\d{2}(\.\d{1,9})? \d{2}:\d{2}$/i;
const UNIX_SECONDS = /^(\d{1,15})(?:\.(\d{1,9}))?$/;
/** The end of the year 9999. */
const MAX_TIME_MS = 253_402_300_800_000;

/** A time in Unix milliseconds; finer digits are dropped. */
function parseTime(query: Query, name: string): number {
  const text = optionalText(query, name);
  if (text === undefined) throw apiErrors.invalidRequest(`${name} is missing; ${FORMS}.`);
  if (LOST_PLUS.test(text))
    throw apiErrors.invalidRequest(`${name} has a space before its offset; encode + as %2B in a URL.`);
  const seconds = UNIX_SECONDS.exec(text);
  const ms = seconds === null ? parseRfc3339(text) : unixMs(seconds[1] ?? '', seconds[2] ?? '');
  if (Number.isNaN(ms)) throw apiErrors.invalidRequest(`${name} is not a time; ${FORMS}.`);
  if (ms < 0 || ms >= MAX_TIME_MS) {
    const hint = seconds === null ? '' : ' Unix times are in seconds, not milliseconds.';
    throw apiErrors.invalidRequest(`${name} must be from 1970 to 9999.${hint}`);
  }
  return ms;
}

/** Computed from the digits, since floating point could lose a millisecond. */
function unixMs(seconds: string, fraction: string): number {
  return Number(seconds) * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** Unix milliseconds; NaN when the text is not such a time. Date.parse alone reads 30 February as 2 March. */
function parseRfc3339(text: string): number {
  if (!RFC3339.test(text)) return Number.NaN;
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
}

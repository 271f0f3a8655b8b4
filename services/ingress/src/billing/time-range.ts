import { apiErrors } from '../errors/api-error.ts';
import { type Query, single } from './query.ts';

const DAY_MS = 86_400_000;

/** How long a range one call may cover, and for what. */
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

/** Reads `start` and `end`; throws an ApiError that names the parameter and the limit. */
export function timeRange(query: Query, { days, what }: RangeLimit): TimeRange {
  const start = moment(query, 'start');
  const end = moment(query, 'end');
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
/** An offset whose plus sign was not encoded: in a query `+` means a space. */
const LOST_PLUS = /T\d{2}:\d{2}:\d{2}(\.\d{1,9})? \d{2}:\d{2}$/i;
const UNIX_SECONDS = /^(\d{1,15})(?:\.(\d{1,9}))?$/;
/** The end of the year 9999. */
const LATEST_MS = 253_402_300_800_000;

/** A time in Unix milliseconds; what is finer is cut off. */
function moment(query: Query, name: string): number {
  const text = single(query, name);
  if (text === undefined) throw apiErrors.invalidRequest(`${name} is missing; ${FORMS}.`);
  if (LOST_PLUS.test(text))
    throw apiErrors.invalidRequest(`${name} has a space where its offset begins; write + as %2B in a URL.`);
  const seconds = UNIX_SECONDS.exec(text);
  const ms = seconds === null ? parseRfc3339(text) : unixMs(seconds[1] ?? '', seconds[2] ?? '');
  if (Number.isNaN(ms)) throw apiErrors.invalidRequest(`${name} is not a time; ${FORMS}.`);
  if (ms < 0 || ms >= LATEST_MS) {
    const hint = seconds === null ? '' : ' Unix times are in seconds, not milliseconds.';
    throw apiErrors.invalidRequest(`${name} must be from 1970 to 9999.${hint}`);
  }
  return ms;
}

/** By digits, not by floating point, so that a millisecond is never lost. */
function unixMs(whole: string, fraction: string): number {
  return Number(whole) * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** Unix milliseconds, NaN when the text is not such a time. Date.parse alone takes 30 February for 2 March. */
function parseRfc3339(text: string): number {
  if (!RFC3339.test(text)) return Number.NaN;
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
}

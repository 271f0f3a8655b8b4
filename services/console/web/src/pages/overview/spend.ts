import type { Output } from '../../api/client.ts';
import { approximateDollars, parseMoney, toMoney } from '../../format/money.ts';
import { DAY, type Zone } from '../../format/time.ts';
import { startOfDay } from '../../url/range.ts';

export type UsageRow = Output<'GET /accounts/{account_id}/overview'>['usage'][number];
export type Interval = 'hour' | 'day' | 'month';

/** How a range is divided. */
export interface Buckets {
  /** What is asked of the API. */
  interval: Interval;
  /** What a bar stands for. */
  bar: Interval;
}

/** The longest range of sums by the hour. */
const HOURLY_MS = 31 * DAY;

/**
 * Bars of a range. Sums are kept by the hour, day and month in UTC. Local days are added up from hours, which the API has
 * for ranges of up to 31 days; longer ranges have days in UTC.
 */
export function bucketsOf(range: { start: string; end: string }, zone: Zone): Buckets {
  const length = Date.parse(range.end) - Date.parse(range.start);
  if (length <= 2 * DAY) return { interval: 'hour', bar: 'hour' };
  if (length > 180 * DAY) return { interval: 'month', bar: 'month' };
  if (zone === 'local' && length <= HOURLY_MS && isOffUtc(range)) return { interval: 'hour', bar: 'day' };
  return { interval: 'day', bar: 'day' };
}

function isOffUtc(range: { start: string; end: string }): boolean {
  return [range.start, range.end].some((time) => new Date(time).getTimezoneOffset() !== 0);
}

/** Whether the bars are in UTC although local times are shown. */
export function isUtcOnly(buckets: Buckets, zone: Zone): boolean {
  return zone === 'local' && buckets.interval !== 'hour';
}

export interface Spend {
  /** Start of each bar, in order, without gaps. */
  starts: number[];
  series: Series[];
  /** Of each bar, exact. */
  totals: string[];
}

export interface Series {
  name: string;
  /** Exact amounts, one a bar. */
  amounts: string[];
  /** For drawing only. */
  values: number[];
}

/** At most this many models have their own colour; the others are added up. */
const MOST_SERIES = 5;
export const OTHERS = 'Other models';

/** Spend by bar and model, most spent first. */
export function spendOf(
  rows: readonly UsageRow[],
  range: { start: string; end: string },
  bar: Interval,
  zone: Zone,
): Spend {
  const starts = barStarts(range, bar, zone);
  const position = new Map(starts.map((start, index) => [start, index]));
  const byModel = new Map<string, bigint[]>();
  for (const row of rows) {
    const index = position.get(barStart(Date.parse(row.start), bar, zone));
    if (index === undefined) continue;
    const model = row.model ?? OTHERS;
    const amounts = byModel.get(model) ?? Array<bigint>(starts.length).fill(0n);
    amounts[index] = (amounts[index] ?? 0n) + parseMoney(row.cost);
    byModel.set(model, amounts);
  }
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const ordered = [...byModel].sort(([, left], [, right]) => (sum(left) < sum(right) ? 1 : -1));
  const named = ordered.length > MOST_SERIES ? ordered.slice(0, MOST_SERIES - 1) : ordered;
  const rest = ordered.slice(named.length).map(([, amounts]) => amounts);
  const all = rest.length === 0 ? named : [...named, [OTHERS, addUp(rest, starts.length)] as const];
  return {
    starts,
    series: all.map(([name, amounts]) => {
      const texts = amounts.map(toMoney);
      return { name, amounts: texts, values: texts.map(approximateDollars) };
    }),
    totals: addUp(
      ordered.map(([, amounts]) => amounts),
      starts.length,
    ).map(toMoney),
  };
}

function addUp(lists: readonly (readonly bigint[])[], length: number): bigint[] {
  return Array.from({ length }, (_, index) => lists.reduce((total, amounts) => total + (amounts[index] ?? 0n), 0n));
}

function barStarts(range: { start: string; end: string }, bar: Interval, zone: Zone): number[] {
  const starts: number[] = [];
  const end = Date.parse(range.end);
  for (let start = barStart(Date.parse(range.start), bar, zone); start < end; start = nextBar(start, bar, zone)) {
    starts.push(start);
  }
  return starts;
}

function barStart(time: number, bar: Interval, zone: Zone): number {
  const date = new Date(time);
  switch (bar) {
    case 'hour':
      return date.setUTCMinutes(0, 0, 0);
    case 'day':
      return startOfDay(time, zone);
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    default:
      return bar satisfies never;
  }
}

function nextBar(start: number, bar: Interval, zone: Zone): number {
  const date = new Date(start);
  switch (bar) {
    case 'hour':
      return start + DAY / 24;
    case 'day':
      // Local days have 23 to 25 hours.
      return zone === 'utc' ? start + DAY : date.setDate(date.getDate() + 1);
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    default:
      return bar satisfies never;
  }
}

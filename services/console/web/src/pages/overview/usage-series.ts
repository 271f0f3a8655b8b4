import type { Output } from '../../api/client.ts';
import { addUp } from '../../components/chart/amounts.ts';
import type { Series } from '../../components/chart/stack.ts';
import { DAY, type Zone } from '../../format/time.ts';
import { startOfDay } from '../../url/range.ts';
import type { Measure } from './measure.ts';

export type UsageRow = Omit<Output<'GET /accounts/{account_id}/overview'>['usage'][number], 'project_id' | 'owner_id'>;
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

export interface UsageSeries {
  /** Start of each bar, in order, without gaps. */
  starts: number[];
  series: Series[];
}

/** What the bars consist of. */
export interface Grouping {
  /** In titles: `model`. */
  name: string;
  /** The model or key of a row, distinct from all others; null: it belongs to the others. */
  of: (row: UsageRow) => string | null;
  others: string;
}

export const BY_MODEL: Grouping = { name: 'model', of: ({ model }) => model, others: 'Other models' };

/** By the given keys. Those of the same name are told apart by their last four characters. */
export function byKey(keys: readonly { key_id: string; name: string; last_four: string }[]): Grouping {
  const label = ({ name, last_four }: (typeof keys)[number]) =>
    keys.filter((key) => key.name === name).length > 1 ? `${name} …${last_four}` : name;
  const labels = new Map(keys.map((key) => [key.key_id, label(key)]));
  return { name: 'key', of: ({ key_id }) => labels.get(key_id ?? '') ?? null, others: 'Other keys' };
}

/** At most this many models or keys have their own colour; the others are added up. */
const MOST_SERIES = 5;

/** Usage by bar and group, most first. */
export function usageSeries(
  rows: readonly UsageRow[],
  { range, bar, zone }: { range: { start: string; end: string }; bar: Interval; zone: Zone },
  grouping: Grouping,
  measure: Measure,
): UsageSeries {
  const starts = barStarts(range, bar, zone);
  const position = new Map(starts.map((start, index) => [start, index]));
  const byGroup = new Map<string, bigint[]>();
  const others = Array<bigint>(starts.length).fill(0n);
  for (const row of rows) {
    const index = position.get(barStart(Date.parse(row.start), bar, zone));
    if (index === undefined) continue;
    const group = grouping.of(row);
    const amounts = group === null ? others : (byGroup.get(group) ?? Array<bigint>(starts.length).fill(0n));
    amounts[index] = (amounts[index] ?? 0n) + measure.of(row);
    if (group !== null) byGroup.set(group, amounts);
  }
  const ordered = [...byGroup].sort(([, left], [, right]) => (addUp(left) < addUp(right) ? 1 : -1));
  const hasOthers = ordered.length > MOST_SERIES || others.some((amount) => amount !== 0n);
  const named = hasOthers ? ordered.slice(0, MOST_SERIES - 1) : ordered;
  const rest = [others, ...ordered.slice(named.length).map(([, amounts]) => amounts)];
  const restSum = starts.map((_, index) => addUp(rest.map((amounts) => amounts[index] ?? 0n)));
  return {
    starts,
    series: (hasOthers ? [...named, [grouping.others, restSum] as const] : named).map(([name, amounts]) => ({
      name,
      amounts,
      values: amounts.map(measure.approximate),
      isRest: name === grouping.others,
    })),
  };
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

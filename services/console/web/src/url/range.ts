import { useMemo } from 'react';
import { RECENT_RANGES, type RecentRange } from '../../../src/paging/recent-ranges.ts';
import { DAY, day, minute, type Zone } from '../format/time.ts';
import { useZone } from '../format/zone.ts';
import { useKept } from './history.ts';
import { type Params, useSearchParams } from './search-params.ts';

/** Ranges that end now, by their name in the address (`range=7d`). */
export const PRESETS = {
  '1h': { label: 'Last hour', ms: RECENT_RANGES['1h'] },
  '24h': { label: 'Last 24 hours', ms: RECENT_RANGES['24h'] },
  '7d': { label: 'Last 7 days', ms: RECENT_RANGES['7d'] },
  '30d': { label: 'Last 30 days', ms: RECENT_RANGES['30d'] },
  '90d': { label: 'Last 90 days', ms: RECENT_RANGES['90d'] },
  '1y': { label: 'Last 12 months', ms: RECENT_RANGES['1y'] },
} as const satisfies Record<RecentRange, { label: string; ms: number }>;
export type Preset = RecentRange;

export interface Range {
  /** Null: chosen days or times. */
  preset: Preset | null;
  /** RFC 3339; `end` is exclusive. */
  start: string;
  end: string;
  label: string;
  /** As reads ask for it: a preset by its name, so that the same page is the same read a minute later. */
  query: RangeQuery;
}

export type RangeQuery = { range: Preset; time_zone: string } | { start: string; end: string };

export function isPreset(name: string): name is Preset {
  return Object.hasOwn(PRESETS, name);
}

/** The range that an address names: `range=7d`, or `start=` and `end=`. Unreadable ones are the default. */
export function readRange(params: Params, standard: Preset, now: number, zone: Zone): Range {
  const start = Date.parse(params['start'] ?? '');
  const end = Date.parse(params['end'] ?? '');
  if (start < end) {
    const bounds = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
    return { preset: null, ...bounds, label: rangeLabel(start, end, zone), query: bounds };
  }
  const named = params['range'] ?? '';
  const preset = isPreset(named) ? named : standard;
  const { ms, label } = PRESETS[preset];
  // Whole days, so that the first bar of a chart is complete; and one query per minute, not per render.
  const unit = ms <= DAY ? 60_000 : DAY;
  const to = Math.ceil((now + 1) / 60_000) * 60_000;
  const from = unit === DAY ? startOfDay(to - ms + DAY, zone) : to - ms;
  const query = { range: preset, time_zone: timeZone(zone) };
  return { preset, start: new Date(from).toISOString(), end: new Date(to).toISOString(), label, query };
}

/** The name of a zone, as the API takes it. */
export function timeZone(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function startOfDay(time: number, zone: Zone): number {
  const date = new Date(time);
  if (zone === 'utc') return date.setUTCHours(0, 0, 0, 0);
  return date.setHours(0, 0, 0, 0);
}

/** `3 Nov 2026 – 9 Nov 2026` for whole days, with times otherwise. */
function rangeLabel(start: number, end: number, zone: Zone): string {
  const wholeDays = startOfDay(start, zone) === start && startOfDay(end, zone) === end;
  if (!wholeDays) return `${minute(new Date(start), zone)} – ${minute(new Date(end), zone)}`;
  const last = new Date(end - 1);
  return end - start <= DAY ? day(last, zone) : `${day(new Date(start), zone)} – ${day(last, zone)}`;
}

/** With `push`, Back returns to the range before. */
type SetRange = (range: { preset: Preset } | RangeBounds, options?: { push: boolean }) => void;

/** The range in the address of this page, and how to change it. */
export function useRange(standard: Preset = '7d'): [Range, SetRange] {
  const [params, setParams] = useSearchParams();
  const [zone] = useZone();
  const { range, start, end } = params;
  // The clock is read once a minute at most: a new range is a new query.
  const thisMinute = Math.floor(Date.now() / 60_000);
  const value = useMemo(
    () => readRange({ range, start, end }, standard, thisMinute * 60_000, zone),
    [range, start, end, standard, thisMinute, zone],
  );
  const set: SetRange = (next, options) =>
    'preset' in next
      ? setParams(
          { range: next.preset === standard ? undefined : next.preset, start: undefined, end: undefined },
          options,
        )
      : setParams({ range: undefined, start: next.start, end: next.end }, options);
  return [value, set];
}

/**
 * The range of a list. It ends where it ended when the list was opened, so that the pages that are loaded stay, also on the
 * way back to it.
 */
export function useListRange(standard: Preset): ReturnType<typeof useRange> {
  const [range, setRange] = useRange(standard);
  const [zone] = useZone();
  const key = `${range.preset ?? `${range.start} ${range.end}`} ${zone}`;
  const [kept, setKept] = useKept('range', { key, range });
  if (kept.key === key) return [kept.range, setRange];
  setKept({ key, range });
  return [range, setRange];
}

/** A range that ends now and is not in the address. */
export function useRecent(preset: Preset): Range {
  const [zone] = useZone();
  const thisMinute = Math.floor(Date.now() / 60_000);
  return useMemo(() => readRange({}, preset, thisMinute * 60_000, zone), [preset, thisMinute, zone]);
}

export interface RangeBounds {
  start: string;
  end: string;
}

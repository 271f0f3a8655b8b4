import { type ReactNode, useMemo } from 'react';
import { StackedBars } from '../../components/chart/chart.tsx';
import { Nothing } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { clock, day, minute, month, shortDay, shortMonth, type Zone } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import type { RangeBounds } from '../../url/range.ts';
import { MEASURES, type Measure } from './measure.ts';
import {
  type Buckets,
  BY_MODEL,
  type Grouping,
  type Interval,
  isUtcOnly,
  type UsageRow,
  usageSeries,
} from './usage-series.ts';

interface UsageOverTimeProps {
  usage: readonly UsageRow[];
  /** Of the usage. */
  range: RangeBounds;
  buckets: Buckets;
  grouping?: Grouping;
  measure?: Measure;
  /** What the page does not say: the range. */
  about?: string;
  /** When bars are dragged over; without it they cannot be selected. */
  onRange?: (range: RangeBounds) => void;
  /** Right of the title. */
  actions?: ReactNode;
}

/** Spend or tokens as stacked bars, by model or key. */
export function UsageOverTime(props: UsageOverTimeProps) {
  const { usage, range, buckets, grouping = BY_MODEL, measure = MEASURES.spend, about, onRange, actions } = props;
  const [zone] = useZone();
  const { bar } = buckets;
  const barZone: Zone = isUtcOnly(buckets, zone) ? 'utc' : zone;
  const { starts, series } = useMemo(
    () => usageSeries(usage, { range, bar, zone: barZone }, grouping, measure),
    [usage, range, bar, barZone, grouping, measure],
  );
  const select = (first: number, last: number) => {
    const start = starts[first];
    if (start === undefined) return;
    const end = starts[last + 1] ?? Date.parse(range.end);
    onRange?.({ start: new Date(start).toISOString(), end: new Date(end).toISOString() });
  };
  const title = `${measure.name} by ${bar} and ${grouping.name}`;
  return (
    <Section
      title={title}
      about={isUtcOnly(buckets, zone) ? `${about ?? ''} Days and months in UTC.` : about}
      actions={actions}
    >
      {series.length === 0 ? (
        <Nothing>Nothing was used in this range.</Nothing>
      ) : (
        <StackedBars
          label={title}
          series={series}
          amounts={measure}
          bars={starts.length}
          barLabel={(index) => barLabel(starts[index] ?? 0, bar, barZone, index === 0)}
          barTitle={(index) => barTitle(starts[index] ?? 0, bar, barZone)}
          {...(onRange === undefined ? {} : { onSelect: select })}
        />
      )}
    </Section>
  );
}

function barLabel(start: number, bar: Interval, zone: Zone, isFirst: boolean): string {
  const date = new Date(start);
  switch (bar) {
    case 'hour':
      return clock(date, zone).slice(0, 5);
    case 'day':
      return shortDay(date, zone);
    case 'month':
      return isFirst || date.getUTCMonth() === 0 ? month(date, zone) : shortMonth(date, zone);
    default:
      return bar satisfies never;
  }
}

function barTitle(start: number, bar: Interval, zone: Zone): string {
  const title = { hour: minute, day, month }[bar](new Date(start), zone);
  return zone === 'utc' ? `${title}, UTC` : title;
}

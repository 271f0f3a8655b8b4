import { useMemo } from 'react';
import { SpendChart } from '../../components/chart/chart.tsx';
import { Nothing } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { clock, day, minute, shortDay, type Zone } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import type { Range, RangeBounds } from '../../url/range.ts';
import { type Buckets, type Interval, isUtcOnly, spendOf, type UsageRow } from './spend.ts';

interface SpendOverTimeProps {
  /** By model. */
  usage: readonly UsageRow[];
  range: Range;
  buckets: Buckets;
  /** When bars are dragged over; without it they cannot be selected. */
  onRange?: (range: RangeBounds) => void;
}

const BARS = { hour: 'hour', day: 'day', month: 'month' } as const;

/** Spend as stacked bars by model. */
export function SpendOverTime({ usage, range, buckets, onRange }: SpendOverTimeProps) {
  const [zone] = useZone();
  const barZone: Zone = isUtcOnly(buckets, zone) ? 'utc' : zone;
  const spend = useMemo(() => spendOf(usage, range, buckets.bar, barZone), [usage, range, buckets.bar, barZone]);
  const { starts, series } = spend;
  const select = (first: number, last: number) => {
    const start = starts[first];
    if (start === undefined) return;
    const end = starts[last + 1] ?? Date.parse(range.end);
    onRange?.({ start: new Date(start).toISOString(), end: new Date(end).toISOString() });
  };
  return (
    <Section
      title={`Spend by ${BARS[buckets.bar]} and model`}
      about={isUtcOnly(buckets, zone) ? 'Days and months in UTC.' : undefined}
    >
      {series.length === 0 ? (
        <Nothing>Nothing was spent in this range.</Nothing>
      ) : (
        <SpendChart
          label={`Spend by ${BARS[buckets.bar]} and model`}
          series={series}
          bars={starts.length}
          barLabel={(bar) => barLabel(starts[bar] ?? 0, buckets.bar, barZone)}
          barTitle={(bar) => barTitle(starts[bar] ?? 0, buckets.bar, barZone)}
          {...(onRange === undefined ? {} : { onSelect: select })}
        />
      )}
    </Section>
  );
}

function barLabel(start: number, bar: Interval, zone: Zone): string {
  const date = new Date(start);
  return bar === 'hour' ? clock(date, zone).slice(0, 5) : shortDay(date, zone);
}

function barTitle(start: number, bar: Interval, zone: Zone): string {
  const date = new Date(start);
  const text = bar === 'hour' ? minute(date, zone) : day(date, zone);
  return zone === 'utc' ? `${text}, UTC` : text;
}

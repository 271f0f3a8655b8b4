export interface Series {
  name: string;
  /** One a bar, for drawing only. */
  values: readonly number[];
  /** One a bar, exact. */
  amounts: readonly bigint[];
  /** All that have no series of their own: in grey. */
  isRest?: boolean;
}

/** Heights for uPlot, which draws bars from zero: sums up to each series, the highest first, so that lower ones cover them. */
export function stackedHeights(series: readonly Series[], bars: number): number[][] {
  const sums = Array<number>(bars).fill(0);
  const heights = series.map(({ values }) => {
    for (let bar = 0; bar < bars; bar += 1) sums[bar] = (sums[bar] ?? 0) + (values[bar] ?? 0);
    return [...sums];
  });
  return heights.reverse();
}

/** The colours of series in order. More series than colours share the last one. */
export const SERIES_COLOURS = 6;

export function colourOf(series: readonly Pick<Series, 'isRest'>[], index: number): string {
  if (series[index]?.isRest === true) return '--series-rest';
  return `--series-${Math.min(index + 1, SERIES_COLOURS)}`;
}

/** Bars between two positions of the pointer, first and last inclusive, within the chart. */
export function barsBetween(left: number, right: number, bars: number): { first: number; last: number } | null {
  const first = Math.max(0, Math.round(Math.min(left, right)));
  const last = Math.min(bars - 1, Math.round(Math.max(left, right)));
  return first <= last ? { first, last } : null;
}

/** Which bars have a label on the axis, so that labels have room: every n-th, counted from the last. */
export function labelledBars(bars: number, width: number, labelWidth: number): number[] {
  const most = Math.max(1, Math.floor(width / labelWidth));
  const step = Math.max(1, Math.ceil(bars / most));
  return Array.from({ length: bars }, (_, bar) => bar).filter((bar) => (bars - 1 - bar) % step === 0);
}

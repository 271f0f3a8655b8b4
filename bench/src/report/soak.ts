import type { SoakBucket } from '../measure/soak.ts';
import { median } from '../stats/quantile.ts';

/** A figure is flat if the last third's is within this factor of the second one's. */
const FLAT_WITHIN = 1.1;

/** A figure of a long constant load over time, in `bench/results.json`. */
export interface SoakFigure {
  name: string;
  unit: 'us' | 'x' | 'ms' | 'MiB' | 'B';
  /** By part of the time. */
  values: number[];
  /** The median of the last third to the median of the second; the first third warms up. */
  growth: number;
  verdict: 'flat' | 'grows';
}

const MIB = 2 ** 20;

/** The figures of at least three parts. */
export function summariseSoak(buckets: readonly SoakBucket[]): SoakFigure[] {
  const figure = (name: string, unit: SoakFigure['unit'], pick: (bucket: SoakBucket, at: number) => number) =>
    judged(name, unit, buckets.map(pick));
  const grown = (bucket: SoakBucket, at: number) => bucket.databaseBytes - (buckets[at - 1]?.databaseBytes ?? 0);
  const charged = judged(
    'database, bytes more per request',
    'B',
    buckets.map((bucket, at) => grown(bucket, at) / bucket.requests).slice(1),
  );
  return [
    figure('CPU per request', 'us', ({ cpu }) => cpu),
    figure('CPU per request, to the bare proxy', 'x', ({ cpu, proxyCpu }) => cpu / proxyCpu),
    figure('latency, p99', 'ms', ({ p99 }) => p99),
    ...Object.keys(buckets[0]?.memory ?? {}).map((name) =>
      figure(`memory, ${name}`, 'MiB', ({ memory }) => (memory[name] ?? 0) / MIB),
    ),
    charged,
  ];
}

function judged(name: string, unit: SoakFigure['unit'], values: number[]): SoakFigure {
  const third = Math.floor(values.length / 3);
  const growth = median(values.slice(-third)) / median(values.slice(-2 * third, -third));
  return { name, unit, values, growth, verdict: growth <= FLAT_WITHIN ? 'flat' : 'grows' };
}

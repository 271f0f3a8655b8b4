import type { GrowthPoint } from '../growth/measure.ts';
import { type Spread, spreadOf } from '../stats/compare.ts';
import { median } from '../stats/quantile.ts';

/** A figure within this factor of the smallest size's is flat: rounds differ by as much. */
const FLAT_WITHIN = 1.15;

/** One figure at one size of the data in `bench/results.json`. */
export interface GrowthFigure {
  of: GrowthPoint['of'];
  size: number;
  name: string;
  unit: GrowthPoint['unit'];
  value: Spread;
  /** The size it is compared with: the smallest with this figure. */
  smallest: number;
  /**
   * How many times as much as there; for rates, how many times less. Both are first divided by the bare proxy's figure, if it
   * was measured, because the machine may have been slower. Null for the smallest itself.
   */
  growth: number | null;
  verdict: 'flat' | 'grows' | null;
}

/** Compares each figure with the smallest size's. */
export function summariseGrowth(points: readonly GrowthPoint[]): GrowthFigure[] {
  return points.map((point) => {
    const { of, size, name, unit, values } = point;
    const alike = points.filter((other) => other.of === of && other.name === name);
    const first = alike.reduce((least, other) => (other.size < least.size ? other : least), point);
    const growth = first === point ? null : growthOf(first, point);
    const verdict = growth === null ? null : growth <= FLAT_WITHIN ? 'flat' : 'grows';
    return { of, size, name, unit, value: spreadOf(values), smallest: first.size, growth, verdict };
  });
}

function growthOf(first: GrowthPoint, point: GrowthPoint): number {
  const factor = relative(point) / relative(first);
  return point.unit === '1/s' ? 1 / factor : factor;
}

function relative({ values, proxy }: GrowthPoint): number {
  return median(values) / (proxy === undefined ? 1 : median(proxy));
}

import { median } from './quantile.ts';

/** One figure over all rounds: median, minimum and maximum. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** @throws RangeError without samples */
export function spreadOf(samples: readonly number[]): Spread {
  return { median: median(samples), min: Math.min(...samples), max: Math.max(...samples) };
}

/**
 * The ratios of two figures by round. A disturbance affects both of a round, so the median of ratios is steadier than
 * the ratio of medians.
 *
 * @throws RangeError if the numbers of rounds differ or are 0
 */
export function ratios(ours: readonly number[], yardstick: readonly number[]): Spread {
  return spreadOf(pairwise(ours, yardstick, (a, b) => a / b));
}

/** The differences of two figures by round. @throws RangeError like `ratios` */
export function differences(ours: readonly number[], yardstick: readonly number[]): Spread {
  return spreadOf(pairwise(ours, yardstick, (a, b) => a - b));
}

function pairwise(
  ours: readonly number[],
  yardstick: readonly number[],
  combine: (a: number, b: number) => number,
): number[] {
  if (ours.length !== yardstick.length) throw new RangeError('rounds differ in number');
  return ours.map((value, index) => combine(value, yardstick[index] ?? Number.NaN));
}

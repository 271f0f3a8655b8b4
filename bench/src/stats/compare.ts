import { median } from './quantile.ts';

/** One figure over all rounds: its median, and the least and the most it was in a round. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** @throws RangeError when there are no samples */
export function spreadOf(samples: readonly number[]): Spread {
  return { median: median(samples), min: Math.min(...samples), max: Math.max(...samples) };
}

/**
 * The ratios of two figures round by round. What disturbs a round disturbs both, so the median of ratios is steadier than
 * the ratio of medians.
 *
 * @throws RangeError when the rounds differ in number or there are none
 */
export function ratios(ours: readonly number[], yardstick: readonly number[]): Spread {
  return spreadOf(pairwise(ours, yardstick, (a, b) => a / b));
}

/** The differences of two figures round by round. @throws RangeError as `ratios` does */
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

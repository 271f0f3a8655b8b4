/**
 * A quantile by nearest rank: always one of the samples.
 *
 * @param share 0 to 1; 0.5 is the median of an odd number of samples
 * @throws RangeError without samples
 */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(share * sorted.length)));
  const value = sorted[rank - 1];
  if (value === undefined) throw new RangeError('no samples');
  return value;
}

/** The middle sample, or the mean of the middle two. @throws RangeError without samples */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('no samples');
  return (lower + upper) / 2;
}

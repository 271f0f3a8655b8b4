/** The disjoint kinds of usage: a token is counted in exactly one of them. Names are those of the router's buckets. */
export const BUCKET_NAMES = [
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'reasoning',
  'image',
  'search',
] as const;

export type BucketName = (typeof BUCKET_NAMES)[number];

/**
 * Quantity by bucket: tokens, or items for `image` and `search`. Every bucket is there, and every quantity is a whole
 * number from 0 to 2^53 - 1, so plain numbers are exact; money made of them is bigint.
 */
export type Usage = Readonly<Record<BucketName, number>>;

const NOTHING: Usage = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  reasoning: 0,
  image: 0,
  search: 0,
};

/** Usage of the given quantities; buckets not named are 0. */
export function usageOf(quantities: Partial<Usage>): Usage {
  return { ...NOTHING, ...quantities };
}

/** Whether a usage claims that nothing was generated. Beside delivered text that is an upstream's mistake. */
export function claimsNoOutput(usage: Usage): boolean {
  return usage.output === 0 && usage.reasoning === 0;
}

/** The usage buckets of charge lines, in the order of the columns of the roll-ups. */
export const USAGE_BUCKETS = [
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'reasoning',
  'image',
  'search',
  'request',
] as const;

const INDEX: ReadonlyMap<string, number> = new Map(USAGE_BUCKETS.map((bucket, index) => [bucket, index]));

/** The place of a bucket in USAGE_BUCKETS; undefined when there is no such bucket. */
export function bucketIndex(bucket: string): number | undefined {
  return INDEX.get(bucket);
}

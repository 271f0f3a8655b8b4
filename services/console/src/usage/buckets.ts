/** The buckets of charge lines and prices, in the order in which people read them. */
export const BUCKETS = [
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_30m',
  'cache_write_1h',
  'cache_write_12h',
  'output',
  'reasoning',
  'image',
  'search',
  'fetch',
  'request',
] as const;
export type BucketName = (typeof BUCKETS)[number];

/** Buckets whose quantities are items, not tokens. */
export const ITEM_BUCKETS: ReadonlySet<string> = new Set<BucketName>(['image', 'search', 'fetch', 'request']);

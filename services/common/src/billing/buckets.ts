/** The buckets of charge lines and prices, in the order in which people read them. Without imports, for the web app. */

export const TOKEN_BUCKETS = [
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_30m',
  'cache_write_1h',
  'cache_write_12h',
  'output',
  'reasoning',
] as const;

const ITEM_BUCKETS = ['image', 'search', 'fetch', 'request'] as const;

export const BUCKETS = [...TOKEN_BUCKETS, ...ITEM_BUCKETS] as const;
export type BucketName = (typeof BUCKETS)[number];

const ITEMS: ReadonlySet<string> = new Set(ITEM_BUCKETS);

/** Whether the quantities of a bucket are items, not tokens. */
export function isItemBucket(bucket: string): boolean {
  return ITEMS.has(bucket);
}

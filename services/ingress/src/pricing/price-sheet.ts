import { formatPriceVersion } from '@tollgate/common/billing/price-version';
import { Bucket, type Price, type Rate } from '@tollgate/proto/router';
import type { BucketName } from '@tollgate/protocols/usage';

/** What a charge can have a line for: the kinds of usage, and the call itself. */
export type PricedBucket = BucketName | 'request';

export type Rates = ReadonlyMap<PricedBucket, bigint>;

export const INPUT_BUCKETS = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h'] as const;
export const OUTPUT_BUCKETS = ['output', 'reasoning'] as const;
export const ITEM_BUCKETS = ['image', 'search', 'request'] as const;

/** The rates of tokens for prompts from one length to another: nano-dollars per million. */
export interface TokenRates {
  /** Prompts longer than this have these rates; 0 for the shortest ones. */
  aboveInputTokens: bigint;
  /** The longest prompt that has them; undefined where there is no longer tier. */
  upToInputTokens: bigint | undefined;
  rates: Rates;
  /** The dearest rate that a token of the input can have (uncached, read from or written to a cache). */
  dearestInput: bigint;
  /** The dearest rate that a generated token can have. */
  dearestOutput: bigint;
}

/** A model's price, ready for use. */
export interface PriceSheet {
  version: string;
  /** Unix milliseconds; 0: always. */
  effectiveFromMs: number;
  /** The rates of shorter prompts first; at least one. */
  tiers: readonly [TokenRates, ...TokenRates[]];
  /** Nano-dollars per million items; a bucket without a rate is free. */
  items: Rates;
}

/** Indexes a price of the route table. A token bucket without a rate of its own falls back as `rateOf` says. */
export function priceSheetOf(price: Price): PriceSheet {
  const rates = ratesOf(price.rates);
  const marks = price.tiers.map((tier) => tier.aboveInputTokens);
  const longer = price.tiers.map((tier, at) => tokenRates(ratesOf(tier.rates), tier.aboveInputTokens, marks[at + 1]));
  return {
    version: price.version,
    effectiveFromMs: Number(price.effectiveFromMs),
    tiers: [tokenRates(tokensOnly(rates), 0n, marks[0]), ...longer],
    items: new Map(ITEM_BUCKETS.map((bucket) => [bucket, rates.get(bucket) ?? 0n])),
  };
}

/**
 * The prices of a model in the order they come into force, at least one. What a request pays is settled when it starts:
 * no change of price reaches one that is under way.
 */
export type PriceSheets = readonly [PriceSheet, ...PriceSheet[]];

/** The price of a request that starts at that time, Unix milliseconds. */
export function priceAt([first, ...later]: PriceSheets, startedAtMs: number): PriceSheet {
  return later.findLast((sheet) => sheet.effectiveFromMs <= startedAtMs) ?? first;
}

/** The rates of a prompt of so many tokens, cached ones included. */
export function ratesForPrompt({ tiers: [shortest, ...longer] }: PriceSheet, inputTokens: bigint): TokenRates {
  return longer.findLast((tier) => tier.aboveInputTokens < inputTokens) ?? shortest;
}

/** Names the price and the tier that a charge was made by: `<version>`, or `<version>#over-<tokens>` above a mark. */
export function versionText(sheet: PriceSheet, tier: TokenRates): string {
  return formatPriceVersion(sheet.version, tier.aboveInputTokens);
}

/** Cached input without a price of its own costs what input does, and reasoning what output does. */
export function rateOf(rates: Rates, bucket: PricedBucket): bigint {
  const own = rates.get(bucket);
  if (own !== undefined) return own;
  switch (bucket) {
    case 'cache_read':
    case 'cache_write_5m':
    case 'cache_write_1h':
      return rates.get('input') ?? 0n;
    case 'reasoning':
      return rates.get('output') ?? 0n;
    case 'input':
    case 'output':
    case 'image':
    case 'search':
    case 'request':
      return 0n;
    default:
      return bucket satisfies never;
  }
}

function tokenRates(rates: Rates, aboveInputTokens: bigint, upToInputTokens: bigint | undefined): TokenRates {
  const dearest = (buckets: readonly PricedBucket[]) =>
    buckets.map((bucket) => rateOf(rates, bucket)).reduce((a, b) => (a > b ? a : b), 0n);
  return {
    aboveInputTokens,
    upToInputTokens,
    rates,
    dearestInput: dearest(INPUT_BUCKETS),
    dearestOutput: dearest(OUTPUT_BUCKETS),
  };
}

const ITEMS: ReadonlySet<PricedBucket> = new Set(ITEM_BUCKETS);

function tokensOnly(rates: Rates): Rates {
  return new Map([...rates].filter(([bucket]) => !ITEMS.has(bucket)));
}

function ratesOf(rates: readonly Rate[]): Rates {
  const byName = new Map<PricedBucket, bigint>();
  for (const { bucket, nanosPerMillion } of rates) {
    const name = bucketName(bucket);
    if (name !== undefined) byName.set(name, nanosPerMillion);
  }
  return byName;
}

function bucketName(bucket: Bucket): PricedBucket | undefined {
  switch (bucket) {
    case Bucket.INPUT:
      return 'input';
    case Bucket.CACHE_READ:
      return 'cache_read';
    case Bucket.CACHE_WRITE_5M:
      return 'cache_write_5m';
    case Bucket.CACHE_WRITE_1H:
      return 'cache_write_1h';
    case Bucket.OUTPUT:
      return 'output';
    case Bucket.REASONING:
      return 'reasoning';
    case Bucket.IMAGE:
      return 'image';
    case Bucket.SEARCH:
      return 'search';
    case Bucket.REQUEST:
      return 'request';
    case Bucket.UNSPECIFIED:
      return undefined;
    default:
      return bucket satisfies never;
  }
}

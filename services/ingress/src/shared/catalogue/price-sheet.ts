import { OPTION_NAMES, type OptionName } from '@tollgate/common/billing/price-options';
import { Bucket, type Price, type PriceOption, type PriceTier, type Rate } from '@tollgate/proto/router';
import { type BucketName, CACHE_WRITE_BUCKETS } from '@tollgate/protocols/canonical/usage';
import type { WebToolKind } from '@tollgate/protocols/interface/hosted-tools';

/** The buckets that a charge can have a line for: the buckets of usage, and the call itself. */
export type PricedBucket = BucketName | 'request';

export type Rates = ReadonlyMap<PricedBucket, bigint>;

export const INPUT_BUCKETS = ['input', 'cache_read', ...CACHE_WRITE_BUCKETS] as const;
export const OUTPUT_BUCKETS = ['output', 'reasoning'] as const;
export const TOKEN_BUCKETS = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS] as const;
export const ITEM_BUCKETS = ['image', 'search', 'request'] as const;

export type TokenBucket = (typeof TOKEN_BUCKETS)[number];
export type ItemBucket = (typeof ITEM_BUCKETS)[number];

/** The token rates of prompts in a range of lengths; nano-dollars per million. */
export interface TokenRates {
  /** These rates apply to prompts longer than this; 0 for the first tier. */
  aboveInputTokens: bigint;
  /** The longest prompt they apply to; undefined for the last tier. */
  upToInputTokens: bigint | undefined;
  /** As in the catalogue. */
  rates: Rates;
  /** The rate of each bucket: its own, or the rate of the bucket that it counts as. */
  byBucket: Readonly<Record<TokenBucket, bigint>>;
  /** Highest rate of an input token (uncached, read from or written to a cache). */
  highestInput: bigint;
  /** Highest rate of a generated token. */
  highestOutput: bigint;
}

/** Shorter prompts first; at least one. */
export type PriceTiers = readonly [TokenRates, ...TokenRates[]];

/** What tokens cost with an option of a request. */
export interface OptionPrice {
  /** Instead of the price's; undefined if the option only multiplies. */
  tiers: PriceTiers | undefined;
  /** Parts per million of all token rates. */
  multiplierPpm: bigint;
}

/** A model's price, indexed. */
export interface PriceSheet {
  version: string;
  /** Unix milliseconds; 0: always. */
  effectiveFromMs: number;
  tiers: PriceTiers;
  /** Nano-dollars per million items; 0: free. */
  items: Readonly<Record<ItemBucket, bigint>>;
  /** By name and value; the same for items. */
  options: ReadonlyMap<OptionName, ReadonlyMap<string, OptionPrice>>;
  /** Whether searches and fetches by the provider have a price, which may be 0. Without one they are not passed on. */
  webTools: Readonly<Record<WebToolKind, boolean>>;
}

/** Indexes a price of the route table. `ratesByBucket` describes the rate of token buckets that have none of their own. */
export function priceSheetOf(price: Price): PriceSheet {
  const rates = ratesOf(price.rates);
  return {
    version: price.version,
    effectiveFromMs: Number(price.effectiveFromMs),
    tiers: tiersOf(tokensOnly(rates), price.tiers),
    webTools: { search: rates.has('search'), fetch: price.rates.some(({ bucket }) => bucket === Bucket.FETCH) },
    items: { image: rates.get('image') ?? 0n, search: rates.get('search') ?? 0n, request: rates.get('request') ?? 0n },
    options: optionsOf(price.options),
  };
}

function tiersOf(rates: Rates, tiers: readonly PriceTier[]): PriceTiers {
  const thresholds = tiers.map((tier) => tier.aboveInputTokens);
  const longer = tiers.map((tier, at) => tokenRates(ratesOf(tier.rates), tier.aboveInputTokens, thresholds[at + 1]));
  return [tokenRates(rates, 0n, thresholds[0]), ...longer];
}

/** Options of names that this version does not know are left out: requests that choose them are refused. */
function optionsOf(options: readonly PriceOption[]): PriceSheet['options'] {
  const byName = new Map<OptionName, Map<string, OptionPrice>>();
  for (const { name: text, value, multiplierPpm, rates, tiers } of options) {
    const name = OPTION_NAMES.find((one) => one === text);
    if (name === undefined) continue;
    const byValue = byName.get(name) ?? new Map<string, OptionPrice>();
    byName.set(name, byValue);
    byValue.set(
      value,
      multiplierPpm > 0n
        ? { tiers: undefined, multiplierPpm }
        : { tiers: tiersOf(ratesOf(rates), tiers), multiplierPpm: 1_000_000n },
    );
  }
  return byName;
}

/** The same tiers at rates of `ppm / scale` of theirs. The router accepts only prices whose products are whole. */
export function timesPpm([shortest, ...longer]: PriceTiers, ppm: bigint, scale: bigint): PriceTiers {
  const times = ({ rates, aboveInputTokens, upToInputTokens }: TokenRates) =>
    tokenRates(
      new Map([...rates].map(([bucket, rate]) => [bucket, (rate * ppm) / scale])),
      aboveInputTokens,
      upToInputTokens,
    );
  return [times(shortest), ...longer.map(times)];
}

/**
 * The prices of a model, in the order in which they take effect; at least one. A request keeps the price in effect at its
 * start: later changes do not apply to it.
 */
export type PriceSheets = readonly [PriceSheet, ...PriceSheet[]];

/** The price of a request that starts at this time; Unix milliseconds. */
export function priceAt(sheets: PriceSheets, startedAtMs: number): PriceSheet {
  let [current] = sheets;
  for (let at = 1; at < sheets.length; at++) {
    const sheet = sheets[at];
    if (sheet !== undefined && sheet.effectiveFromMs <= startedAtMs) current = sheet;
  }
  return current;
}

/** The tier of a prompt with this many tokens, including cached ones. */
export function tierOf<T extends TokenRates>(tiers: readonly [T, ...T[]], inputTokens: number): T {
  let [reached] = tiers;
  for (let at = 1; at < tiers.length; at++) {
    const tier = tiers[at];
    if (tier !== undefined && tier.aboveInputTokens < inputTokens) reached = tier;
  }
  return reached;
}

/**
 * Without its own rate, cached input costs as much as input, and reasoning as much as output. Cache writes for 30 minutes cost
 * as much as writes for 5, and writes for 12 hours the highest rate of a shorter lifetime.
 */
function ratesByBucket(rates: Rates): TokenRates['byBucket'] {
  const input = rates.get('input') ?? 0n;
  const output = rates.get('output') ?? 0n;
  const written5m = rates.get('cache_write_5m') ?? input;
  const written30m = rates.get('cache_write_30m') ?? written5m;
  const written1h = rates.get('cache_write_1h') ?? input;
  return {
    input,
    cache_read: rates.get('cache_read') ?? input,
    cache_write_5m: written5m,
    cache_write_30m: written30m,
    cache_write_1h: written1h,
    cache_write_12h: rates.get('cache_write_12h') ?? (written30m > written1h ? written30m : written1h),
    output,
    reasoning: rates.get('reasoning') ?? output,
  };
}

function tokenRates(rates: Rates, aboveInputTokens: bigint, upToInputTokens: bigint | undefined): TokenRates {
  const byBucket = ratesByBucket(rates);
  const highest = (buckets: readonly TokenBucket[]) =>
    buckets.map((bucket) => byBucket[bucket]).reduce((a, b) => (a > b ? a : b), 0n);
  return {
    aboveInputTokens,
    upToInputTokens,
    rates,
    byBucket,
    highestInput: highest(INPUT_BUCKETS),
    highestOutput: highest(OUTPUT_BUCKETS),
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
    case Bucket.CACHE_WRITE_30M:
      return 'cache_write_30m';
    case Bucket.CACHE_WRITE_1H:
      return 'cache_write_1h';
    case Bucket.CACHE_WRITE_12H:
      return 'cache_write_12h';
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
    case Bucket.FETCH:
    case Bucket.UNSPECIFIED:
      return undefined;
    default:
      return bucket satisfies never;
  }
}

import { numberOf } from '../json/lossless.ts';
import { isSet, nonNegativeInteger } from '../json/record.ts';
import type { PriceOptions } from './price-options.ts';

/** Input written to a cache, by the lifetime of the write; 5 minutes where the provider does not say. */
export const CACHE_WRITE_BUCKETS = ['cache_write_5m', 'cache_write_30m', 'cache_write_1h', 'cache_write_12h'] as const;

/** The disjoint kinds of usage: a token is counted in exactly one of them. Names are those of the router's buckets. */
export const BUCKET_NAMES = [
  'input',
  'cache_read',
  ...CACHE_WRITE_BUCKETS,
  'output',
  'reasoning',
  'image',
  'search',
] as const;

export type BucketName = (typeof BUCKET_NAMES)[number];

/**
 * Quantity by bucket: tokens, or items for `image` and `search`. Every bucket is present, and every quantity is an integer
 * from 0 to 2^53 - 1, so plain numbers are exact; money computed from them is bigint.
 */
export type Quantities = Readonly<Record<BucketName, number>>;

/** The usage of a response, and what else its report says of the price. */
export interface Usage extends Quantities {
  /** As the provider reported them; absent if it did not. */
  readonly options?: PriceOptions;
  /**
   * The calls of the model that the provider made for the response, such as one after each of its own tools. They add up
   * to the usage. Each has a prompt of its own, whose length decides its rates. Absent: one call.
   */
  readonly iterations?: readonly Quantities[];
}

/** An upstream's values for some buckets, unchecked. */
export type ReportedFigures = Readonly<Partial<Record<BucketName, unknown>>>;

/**
 * The values of a usage report if one of them is not an exact integer of at least 0; undefined if all of them are valid
 * or absent.
 */
export function unreadableFigures(figures: ReportedFigures): ReportedFigures | undefined {
  if (Object.values(figures).every((figure) => !isSet(figure) || countOf(figure) !== undefined)) return undefined;
  const reported = Object.entries(figures).filter(([, figure]) => isSet(figure));
  return Object.fromEntries(reported.map(([name, figure]) => [name, numberOf(figure) ?? figure]));
}

/** Digits, with a fraction of zero at most. */
const COUNT_TEXT = /^\d{1,16}(?:\.0{1,16})?$/;

/** A reported quantity: an exact integer of at least 0, also where an upstream writes it as text. */
export function countOf(value: unknown): number | undefined {
  if (typeof value === 'number') return nonNegativeInteger(value);
  if (typeof value === 'string') return COUNT_TEXT.test(value) ? nonNegativeInteger(Number(value)) : undefined;
  return nonNegativeInteger(numberOf(value));
}

/** Usage of the given quantities; all other buckets are 0. Every usage without options and iterations has the same shape. */
export function usageOf(quantities: Partial<Usage>): Usage {
  const { options, iterations } = quantities;
  const usage: Usage = {
    input: quantities.input ?? 0,
    cache_read: quantities.cache_read ?? 0,
    cache_write_5m: quantities.cache_write_5m ?? 0,
    cache_write_30m: quantities.cache_write_30m ?? 0,
    cache_write_1h: quantities.cache_write_1h ?? 0,
    cache_write_12h: quantities.cache_write_12h ?? 0,
    output: quantities.output ?? 0,
    reasoning: quantities.reasoning ?? 0,
    image: quantities.image ?? 0,
    search: quantities.search ?? 0,
  };
  if (options === undefined && iterations === undefined) return usage;
  return { ...usage, ...(options && { options }), ...(iterations && { iterations }) };
}

/** All tokens of a usage, of input and output, cached ones included. */
export function tokensOf(usage: Usage): number {
  return TOKEN_BUCKETS.reduce((sum, bucket) => sum + usage[bucket], 0);
}

const TOKEN_BUCKETS = BUCKET_NAMES.filter((name) => name !== 'image' && name !== 'search');

/** Whether a usage claims that nothing was generated, which is an upstream's mistake if text was delivered. */
export function claimsNoOutput(usage: Usage): boolean {
  return usage.output === 0 && usage.reasoning === 0;
}

/**
 * What a stream has reported after another report. Most reports are running totals, which replace earlier ones. A report
 * without an input or without an output leaves the earlier one's, since some upstreams report each in another event.
 */
export function laterUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later;
  const input = inputTokensOf(later) > 0 ? later : earlier;
  const output = claimsNoOutput(later) ? earlier : later;
  return { ...later, ...inputPart(input), output: output.output, reasoning: output.reasoning };
}

/** All tokens of the input, cached ones included. */
export function inputTokensOf(usage: Quantities): number {
  return usage.input + usage.cache_read + writtenTokensOf(usage);
}

/** All tokens that were written to a cache. */
export function writtenTokensOf(usage: Quantities): number {
  return usage.cache_write_5m + usage.cache_write_30m + usage.cache_write_1h + usage.cache_write_12h;
}

function inputPart({ input, cache_read, cache_write_5m, cache_write_30m, cache_write_1h, cache_write_12h }: Usage) {
  return { input, cache_read, cache_write_5m, cache_write_30m, cache_write_1h, cache_write_12h };
}

export type CacheWriteBucket = (typeof CACHE_WRITE_BUCKETS)[number];

/** Totals that include their details, as OpenAI reports them. */
export interface InclusiveUsage {
  /** Read from and written to a cache included. */
  readonly input: number;
  /** Reasoning included. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Parts of the cache writes whose lifetime is reported. */
  readonly lifetimes?: Readonly<Record<Exclude<CacheWriteBucket, 'cache_write_5m'>, number>>;
  readonly reasoning: number;
  /** The upstream's own sum, unchecked. */
  readonly total: unknown;
  /** Whether the upstream never counts reasoning in its output. */
  readonly hasReasoningOnTop?: boolean;
  readonly search?: number;
}

/**
 * Splits totals into disjoint buckets. Cache writes are counted in the bucket of the shortest lifetime unless they are known to
 * have another. Tokens that the sum has beyond input and output are reasoning that comes on top of the output (xAI), also
 * where no detail mentions it (Gemini's chat completions), or cached tokens on top of the input if it is as many, or both.
 * Inconsistent details are limited to what the totals allow.
 */
export function usageOfTotals(totals: InclusiveUsage): Usage {
  const { output, total, search = 0, lifetimes } = totals;
  const cached = totals.cacheRead + totals.cacheWrite;
  const beyond = Math.max(0, (countOf(total) ?? 0) - totals.input - output);
  const isCacheAlone = beyond === cached && beyond !== totals.reasoning;
  const isCacheOnTop = cached > 0 && (isCacheAlone || (totals.reasoning > 0 && beyond === cached + totals.reasoning));
  const input = totals.input + (isCacheOnTop ? cached : 0);
  const cacheRead = Math.min(totals.cacheRead, input);
  const cacheWrite = Math.min(totals.cacheWrite, input - cacheRead);
  const written30m = Math.min(lifetimes?.cache_write_30m ?? 0, cacheWrite);
  const written1h = Math.min(lifetimes?.cache_write_1h ?? 0, cacheWrite - written30m);
  const written12h = Math.min(lifetimes?.cache_write_12h ?? 0, cacheWrite - written30m - written1h);
  const thought = totals.reasoning > 0 || isCacheOnTop ? totals.reasoning : beyond;
  const isOnTop = thought > 0 && (totals.hasReasoningOnTop === true || beyond - (isCacheOnTop ? cached : 0) >= thought);
  const reasoning = isOnTop ? thought : Math.min(thought, output);
  return usageOf({
    input: input - cacheRead - cacheWrite,
    cache_read: cacheRead,
    cache_write_5m: cacheWrite - written30m - written1h - written12h,
    cache_write_30m: written30m,
    cache_write_1h: written1h,
    cache_write_12h: written12h,
    output: isOnTop ? output : output - reasoning,
    reasoning,
    search,
  });
}

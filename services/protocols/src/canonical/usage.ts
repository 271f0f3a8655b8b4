import { isSet, nonNegativeInteger } from '../json/record.ts';

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
 * Quantity by bucket: tokens, or items for `image` and `search`. Every bucket is present, and every quantity is an integer
 * from 0 to 2^53 - 1, so plain numbers are exact; money computed from them is bigint.
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

/** An upstream's values for some buckets, unchecked. */
export type ReportedFigures = Readonly<Partial<Record<BucketName, unknown>>>;

/**
 * The values of a usage report if one of them is not an exact integer of at least 0; undefined if all of them are valid
 * or absent.
 */
export function unreadableFigures(figures: ReportedFigures): ReportedFigures | undefined {
  const reported = Object.entries(figures).filter(([, figure]) => isSet(figure));
  return reported.some(([, figure]) => nonNegativeInteger(figure) === undefined)
    ? Object.fromEntries(reported)
    : undefined;
}

/** Usage of the given quantities; all other buckets are 0. */
export function usageOf(quantities: Partial<Usage>): Usage {
  return { ...NOTHING, ...quantities };
}

/** All tokens of a usage, of input and output, cached ones included. */
export function tokensOf({ image: _images, search: _searches, ...tokens }: Usage): number {
  return Object.values(tokens).reduce((sum, quantity) => sum + quantity, 0);
}

/** Whether a usage claims that nothing was generated, which is an upstream's mistake if text was delivered. */
export function claimsNoOutput(usage: Usage): boolean {
  return usage.output === 0 && usage.reasoning === 0;
}

/** Totals that include their details, as OpenAI reports them. */
export interface InclusiveUsage {
  /** Read from and written to a cache included. */
  readonly input: number;
  /** Reasoning included. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** The upstream's own sum, unchecked. */
  readonly total: unknown;
}

/**
 * Splits totals into disjoint buckets. Cache writes are counted in the bucket of the short lifetime. If the sum shows
 * that reasoning comes on top of the output, it is added. Inconsistent details are limited to what the totals allow.
 */
export function usageOfTotals({ input, output, total, ...details }: InclusiveUsage): Usage {
  const cacheRead = Math.min(details.cacheRead, input);
  const cacheWrite = Math.min(details.cacheWrite, input - cacheRead);
  const isOnTop = details.reasoning > 0 && total === input + output + details.reasoning;
  const reasoning = isOnTop ? details.reasoning : Math.min(details.reasoning, output);
  return usageOf({
    input: input - cacheRead - cacheWrite,
    cache_read: cacheRead,
    cache_write_5m: cacheWrite,
    output: isOnTop ? output : output - reasoning,
    reasoning,
  });
}

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

/** What an upstream reported of some buckets, as it stands in its answer: of any type. */
export type ReportedFigures = Readonly<Partial<Record<BucketName, unknown>>>;

/**
 * The figures of a usage report if one of them is not an exact whole number of at least 0; undefined
 * if all of them are valid or absent.
 */
export function unreadableFigures(figures: ReportedFigures): ReportedFigures | undefined {
  const reported = Object.entries(figures).filter(([, figure]) => isSet(figure));
  return reported.some(([, figure]) => nonNegativeInteger(figure) === undefined)
    ? Object.fromEntries(reported)
    : undefined;
}

/** Usage of the given quantities; buckets not named are 0. */
export function usageOf(quantities: Partial<Usage>): Usage {
  return { ...NOTHING, ...quantities };
}

/** All tokens of a usage, of input and output, cached ones included. */
export function tokensOf({ image: _images, search: _searches, ...tokens }: Usage): number {
  return Object.values(tokens).reduce((sum, quantity) => sum + quantity, 0);
}

/** Whether a usage claims that nothing was generated. If text was delivered, that is an upstream's mistake. */
export function claimsNoOutput(usage: Usage): boolean {
  return usage.output === 0 && usage.reasoning === 0;
}

/** Totals of which the details are parts, as OpenAI reports them. */
export interface InclusiveUsage {
  /** Read from and written to a cache included. */
  readonly input: number;
  /** Reasoning included. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** The upstream's own sum, as it stands in its report. */
  readonly total: unknown;
}

/**
 * Parts totals into disjoint buckets. Cache writes are counted in the bucket of the short lifetime. An upstream whose sum
 * shows that reasoning comes on top of the output is read that way. Details that cannot be are cut to what the totals allow.
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

import { lineAmount, lineBound, UNITS_PER_RATE } from '@tollgate/common/money';
import { Bucket, type Price } from '@tollgate/proto/router';
import type { BucketName, Usage } from '@tollgate/protocols/usage';

/** A model's rates, ready for use: nano-dollars per million of each bucket. */
export interface PriceSheet {
  version: string;
  rates: ReadonlyMap<BucketName, bigint>;
  /** The dearest rate that a token of the input can have (uncached, read from or written to a cache). */
  dearestInput: bigint;
  /** The dearest rate that a generated token can have. */
  dearestOutput: bigint;
  /**
   * Lines round half to even each on its own, so that several together may lie above their exact sum: at most by half a
   * nano-dollar for each rate that is not a whole number of nano-dollars per token.
   */
  roundingSlack: bigint;
}

/** One line of a charge: so much of one bucket at one rate. */
export interface PricedLine {
  bucket: string;
  quantity: bigint;
  rateNanosPerMillion: bigint;
  amountNanos: bigint;
}

const INPUT_BUCKETS: readonly BucketName[] = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h'];
const OUTPUT_BUCKETS: readonly BucketName[] = ['output', 'reasoning'];

/** Indexes a price of the route table. A bucket without a rate of its own falls back as `rateOf` says. */
export function priceSheetOf(price: Price): PriceSheet {
  const rates = new Map<BucketName, bigint>();
  for (const rate of price.rates) {
    const name = bucketName(rate.bucket);
    if (name !== undefined) rates.set(name, rate.nanosPerMillion);
  }
  const dearest = (buckets: readonly BucketName[]) =>
    buckets.map((bucket) => rateOf(rates, bucket)).reduce((a, b) => (a > b ? a : b), 0n);
  const rounding = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS].filter(
    (bucket) => rateOf(rates, bucket) % UNITS_PER_RATE !== 0n,
  );
  return {
    version: price.version,
    rates,
    dearestInput: dearest(INPUT_BUCKETS),
    dearestOutput: dearest(OUTPUT_BUCKETS),
    roundingSlack: BigInt(Math.floor(rounding.length / 2)),
  };
}

/** The most that `inputTokens` and `outputTokens` can cost, each line rounded up. */
export function boundNanos(sheet: PriceSheet, inputTokens: bigint, outputTokens: bigint): bigint {
  return (
    lineBound(inputTokens, sheet.dearestInput) + lineBound(outputTokens, sheet.dearestOutput) + sheet.roundingSlack
  );
}

/** How many output tokens an amount pays for beside the input, at the dearest rates; negative when not even the input. */
export function affordableOutputTokens(sheet: PriceSheet, inputTokens: bigint, nanos: bigint): bigint {
  const left = nanos - lineBound(inputTokens, sheet.dearestInput) - sheet.roundingSlack;
  if (left < 0n) return -1n;
  if (sheet.dearestOutput === 0n) return 1_000_000_000n;
  return (left * UNITS_PER_RATE) / sheet.dearestOutput;
}

/** A charge's lines, one for each bucket that was used, and their sum. */
export function priceUsage(sheet: PriceSheet, usage: Usage): { lines: PricedLine[]; costNanos: bigint } {
  const lines: PricedLine[] = [];
  let costNanos = 0n;
  for (const bucket of BUCKETS) {
    const quantity = BigInt(usage[bucket] ?? 0);
    if (quantity === 0n) continue;
    const rate = rateOf(sheet.rates, bucket);
    const amount = lineAmount(quantity, rate);
    lines.push({ bucket, quantity, rateNanosPerMillion: rate, amountNanos: amount });
    costNanos += amount;
  }
  return { lines, costNanos };
}

const BUCKETS: readonly BucketName[] = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS, 'image', 'search'];

/** Cached input without a price of its own costs what input does, and reasoning what output does. */
function rateOf(rates: ReadonlyMap<BucketName, bigint>, bucket: BucketName): bigint {
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
      return 0n;
    default:
      return bucket satisfies never;
  }
}

function bucketName(bucket: Bucket): BucketName | undefined {
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
    case Bucket.UNSPECIFIED:
      return undefined;
    default:
      return bucket satisfies never;
  }
}

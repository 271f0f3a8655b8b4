import { FULL_DISCOUNT_PPM, lineAmount, minBigInt, UNITS_PER_RATE } from '@tollgate/common/money';
import type { Usage } from '@tollgate/protocols/canonical/usage';
import {
  INPUT_BUCKETS,
  ITEM_BUCKETS,
  OUTPUT_BUCKETS,
  type PricedBucket,
  type PriceSheet,
  type PriceSheets,
  priceAt,
  priceVersionOf,
  rateOf,
  ratesForPrompt,
  type TokenRates,
} from './price-sheet.ts';

/** The price of one request: the one in effect when it started, less its account's discount. */
export interface RequestPrice {
  sheet: PriceSheet;
  /** Discount on every line of the list price; parts per million. */
  discountPpm: number;
}

/** The price of a request that starts at this time; Unix milliseconds. */
export function priceOfRequest(sheets: PriceSheets, startedAtMs: number, discountPpm: number): RequestPrice {
  return { sheet: priceAt(sheets, startedAtMs), discountPpm };
}

/** One line of a charge: a quantity of one bucket at its list rate. The amount includes the discount. */
export interface PricedLine {
  bucket: string;
  quantity: bigint;
  rateNanosPerMillion: bigint;
  amountNanos: bigint;
}

/** The price of a usage. */
export interface PricedUsage {
  lines: PricedLine[];
  costNanos: bigint;
  /** The price's version and the tier that applied, as formatted by `priceVersionOf`. */
  version: string;
}

/** An upper bound of what a request can use. */
export interface UsageBound {
  /** Tokens of the prompt, including cached ones. */
  inputTokens: bigint;
  /** Generated tokens of all choices. */
  outputTokens: bigint;
  /** Images of the prompt. */
  images: bigint;
  /** Searches that the provider may run. */
  searches: bigint;
}

/** The part of a cost that the customer pays: at most the hold. The operator bears the rest. */
export function paidNanos(costNanos: bigint, holdNanos: bigint): bigint {
  return minBigInt(costNanos, holdNanos);
}

/** Used as "no limit" where output is free. */
const UNLIMITED_TOKENS = 1_000_000_000n;

const TOKEN_BUCKETS = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS] as const;

/**
 * Prices a usage: one line per used bucket, and their sum. The length of the prompt, including cached tokens, decides
 * the tier of all tokens.
 *
 * @param images images of the request, charged where the model has a price for them
 */
export function priceUsage({ sheet, discountPpm }: RequestPrice, usage: Usage, images: number): PricedUsage {
  const prompt = INPUT_BUCKETS.reduce((sum, bucket) => sum + BigInt(usage[bucket]), 0n);
  const tier = ratesForPrompt(sheet, prompt);
  const lines: PricedLine[] = [];
  let costNanos = 0n;
  const add = (bucket: PricedBucket, quantity: bigint, rate: bigint) => {
    if (quantity === 0n) return;
    const amountNanos = lineAmount(quantity, rate, discountPpm);
    lines.push({ bucket, quantity, rateNanosPerMillion: rate, amountNanos });
    costNanos += amountNanos;
  };
  for (const bucket of TOKEN_BUCKETS) add(bucket, BigInt(usage[bucket]), rateOf(tier.rates, bucket));
  const quantities = itemsOf(sheet, images, usage.search);
  for (const bucket of ITEM_BUCKETS) add(bucket, quantities[bucket], rateOf(sheet.items, bucket));
  return { lines, costNanos, version: priceVersionOf(sheet, tier) };
}

/** Images and calls are only listed where they have a price; searches as reported by the provider. */
function itemsOf({ items }: PriceSheet, images: number, searches: number) {
  const priced = (bucket: PricedBucket, quantity: bigint) => (rateOf(items, bucket) === 0n ? 0n : quantity);
  return { image: priced('image', BigInt(images)), search: BigInt(searches), request: priced('request', 1n) } as const;
}

/** Maximum cost of a usage within the bound, whichever buckets its tokens fall into and whichever tier applies. */
export function maxCostNanos(price: RequestPrice, bound: UsageBound): bigint {
  let max = 0n;
  for (const tier of reachableTiers(price.sheet, bound.inputTokens)) {
    const nanos = fixedNanos(price, tier, bound) + roundedUp(bound.outputTokens, tier.highestOutput, price.discountPpm);
    if (nanos > max) max = nanos;
  }
  return max;
}

/**
 * Maximum number of output tokens that an amount pays for together with the input and images; negative when it does not
 * even cover the input.
 */
export function affordableOutputTokens(
  price: RequestPrice,
  bound: Omit<UsageBound, 'outputTokens'>,
  nanos: bigint,
): bigint {
  let min = UNLIMITED_TOKENS;
  for (const tier of reachableTiers(price.sheet, bound.inputTokens)) {
    const left = nanos - fixedNanos(price, tier, bound);
    if (left < 0n) return -1n;
    const each = tier.highestOutput * paidShare(price.discountPpm);
    const tokens = each === 0n ? UNLIMITED_TOKENS : (left * FULL_SHARE) / each;
    if (tokens < min) min = tokens;
  }
  return min;
}

/** The tiers that a prompt of at most this many tokens can reach. */
function reachableTiers({ tiers }: PriceSheet, inputTokens: bigint): readonly TokenRates[] {
  return tiers.length === 1 ? tiers : tiers.filter((tier, at) => at === 0 || tier.aboveInputTokens < inputTokens);
}

/** Maximum cost of everything but the output, in one tier. */
function fixedNanos(
  { sheet, discountPpm }: RequestPrice,
  tier: TokenRates,
  { inputTokens, images, searches }: Omit<UsageBound, 'outputTokens'>,
): bigint {
  const { upToInputTokens: end } = tier;
  const longest = end === undefined ? inputTokens : minBigInt(inputTokens, end);
  return (
    roundedUp(longest, tier.highestInput, discountPpm) +
    roundedUp(images, rateOf(sheet.items, 'image'), discountPpm) +
    roundedUp(searches, rateOf(sheet.items, 'search'), discountPpm) +
    roundedUp(1n, rateOf(sheet.items, 'request'), discountPpm) +
    roundingSlack(tier, discountPpm)
  );
}

/**
 * Each line is rounded half to even, so their sum may exceed the exact sum: by at most half a nano-dollar for each line
 * whose rate is not a whole number of nano-dollars per token.
 */
function roundingSlack({ rates }: TokenRates, discountPpm: number): bigint {
  const share = paidShare(discountPpm);
  const rounding = TOKEN_BUCKETS.filter((bucket) => (rateOf(rates, bucket) * share) % FULL_SHARE !== 0n);
  return BigInt(Math.floor(rounding.length / 2));
}

/** Divisor that turns quantity * rate * paid share into nano-dollars. */
const FULL_SHARE = UNITS_PER_RATE * BigInt(FULL_DISCOUNT_PPM);

/** The part of a list price that is paid; parts per million. */
function paidShare(discountPpm: number): bigint {
  return BigInt(FULL_DISCOUNT_PPM - discountPpm);
}

/** A line's amount, rounded up instead of half to even. */
function roundedUp(quantity: bigint, rate: bigint, discountPpm: number): bigint {
  return (quantity * rate * paidShare(discountPpm) + FULL_SHARE - 1n) / FULL_SHARE;
}

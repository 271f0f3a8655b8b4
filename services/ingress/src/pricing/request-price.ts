import { lineAmount, UNITS_PER_RATE, WHOLE_DISCOUNT_PPM } from '@tollgate/common/money';
import type { Usage } from '@tollgate/protocols/usage';
import {
  INPUT_BUCKETS,
  ITEM_BUCKETS,
  OUTPUT_BUCKETS,
  type PricedBucket,
  type PriceSheet,
  type PriceSheets,
  priceAt,
  rateOf,
  ratesForPrompt,
  type TokenRates,
  versionText,
} from './price-sheet.ts';

/** What one request pays: the price in force when it started, less its account's discount. */
export interface RequestPrice {
  sheet: PriceSheet;
  /** Off every line of the list price, parts per million. */
  discountPpm: number;
}

/** The price of a request of a model's that starts at that time, Unix milliseconds. */
export function priceOfRequest(sheets: PriceSheets, startedAtMs: number, discountPpm: number): RequestPrice {
  return { sheet: priceAt(sheets, startedAtMs), discountPpm };
}

/** One line of a charge: so much of one bucket at one rate of the list. The amount is less the discount. */
export interface PricedLine {
  bucket: string;
  quantity: bigint;
  rateNanosPerMillion: bigint;
  amountNanos: bigint;
}

/** What a usage costs. */
export interface PricedUsage {
  lines: PricedLine[];
  costNanos: bigint;
  /** The price's version and the tier that applied, as `versionText` writes them. */
  version: string;
}

/** The most a request can use. */
export interface UsageBound {
  /** Tokens of the whole prompt. */
  inputTokens: bigint;
  /** Generated tokens of all choices. */
  outputTokens: bigint;
  /** Images of the prompt. */
  images: bigint;
  /** Searches that the provider may run. */
  searches: bigint;
}

/** What the customer pays of a cost: never more than was held. The operator bears the rest. */
export function paidNanos(costNanos: bigint, holdNanos: bigint): bigint {
  return costNanos < holdNanos ? costNanos : holdNanos;
}

/** Stands for no limit where output costs nothing. */
const UNLIMITED_TOKENS = 1_000_000_000n;

const TOKEN_BUCKETS = [...INPUT_BUCKETS, ...OUTPUT_BUCKETS] as const;

/**
 * A charge's lines, one for each bucket that was used, and their sum. The length of the whole prompt, cached tokens
 * included, decides the tier of all its tokens.
 *
 * @param images of the request, which are charged where the model has a price for them
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
  return { lines, costNanos, version: versionText(sheet, tier) };
}

/** Images and calls are told only where they have a price; searches are what the provider says. */
function itemsOf({ items }: PriceSheet, images: number, searches: number) {
  const priced = (bucket: PricedBucket, quantity: bigint) => (rateOf(items, bucket) === 0n ? 0n : quantity);
  return { image: priced('image', BigInt(images)), search: BigInt(searches), request: priced('request', 1n) } as const;
}

/** The most that a usage within the bound can cost, whichever buckets its tokens fall into and whichever tier applies. */
export function boundNanos(price: RequestPrice, bound: UsageBound): bigint {
  let most = 0n;
  for (const tier of reachableTiers(price.sheet, bound.inputTokens)) {
    const nanos = fixedNanos(price, tier, bound) + boundOf(bound.outputTokens, tier.dearestOutput, price.discountPpm);
    if (nanos > most) most = nanos;
  }
  return most;
}

/**
 * The most output tokens whose bound, beside the input and the images, is within an amount; negative when not even the
 * input's is.
 */
export function affordableOutputTokens(
  price: RequestPrice,
  bound: Omit<UsageBound, 'outputTokens'>,
  nanos: bigint,
): bigint {
  let fewest = UNLIMITED_TOKENS;
  for (const tier of reachableTiers(price.sheet, bound.inputTokens)) {
    const left = nanos - fixedNanos(price, tier, bound);
    if (left < 0n) return -1n;
    const each = tier.dearestOutput * sharePaid(price.discountPpm);
    const tokens = each === 0n ? UNLIMITED_TOKENS : (left * FULL_SHARE) / each;
    if (tokens < fewest) fewest = tokens;
  }
  return fewest;
}

/** The tiers that a prompt of at most so many tokens can fall into. */
function reachableTiers({ tiers }: PriceSheet, inputTokens: bigint): readonly TokenRates[] {
  return tiers.length === 1 ? tiers : tiers.filter((tier, at) => at === 0 || tier.aboveInputTokens < inputTokens);
}

/** The bound of everything but the output, in one tier. */
function fixedNanos(
  { sheet, discountPpm }: RequestPrice,
  tier: TokenRates,
  { inputTokens, images, searches }: Omit<UsageBound, 'outputTokens'>,
): bigint {
  const { upToInputTokens: end } = tier;
  const longest = end === undefined || inputTokens < end ? inputTokens : end;
  return (
    boundOf(longest, tier.dearestInput, discountPpm) +
    boundOf(images, rateOf(sheet.items, 'image'), discountPpm) +
    boundOf(searches, rateOf(sheet.items, 'search'), discountPpm) +
    boundOf(1n, rateOf(sheet.items, 'request'), discountPpm) +
    roundingSlack(tier, discountPpm)
  );
}

/**
 * Lines round half to even each on its own, so that several together may lie above their exact sum: at most by half a
 * nano-dollar for each whose rate is not a whole number of nano-dollars per token.
 */
function roundingSlack({ rates }: TokenRates, discountPpm: number): bigint {
  const share = sharePaid(discountPpm);
  const rounding = TOKEN_BUCKETS.filter((bucket) => (rateOf(rates, bucket) * share) % FULL_SHARE !== 0n);
  return BigInt(Math.floor(rounding.length / 2));
}

/** What quantity * rate * share paid is divided by to be nano-dollars. */
const FULL_SHARE = UNITS_PER_RATE * BigInt(WHOLE_DISCOUNT_PPM);

/** What is paid of a list price, parts per million. */
function sharePaid(discountPpm: number): bigint {
  return BigInt(WHOLE_DISCOUNT_PPM - discountPpm);
}

/** A line's amount rounded up instead of half to even. */
function boundOf(quantity: bigint, rate: bigint, discountPpm: number): bigint {
  return (quantity * rate * sharePaid(discountPpm) + FULL_SHARE - 1n) / FULL_SHARE;
}

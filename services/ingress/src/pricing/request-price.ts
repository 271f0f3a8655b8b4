import type { OptionName } from '@tollgate/common/billing/price-options';
import { FULL_DISCOUNT_PPM, lineAmount, minBigInt, UNITS_PER_RATE } from '@tollgate/common/money';
import type { PriceOptions, RequestedOption } from '@tollgate/protocols/canonical/price-options';
import type { Quantities, Usage } from '@tollgate/protocols/canonical/usage';
import { billedOptions, FULL_PPM, type PriceVariant, reachableVariants, variantOf } from './price-options.ts';
import {
  INPUT_BUCKETS,
  ITEM_BUCKETS,
  OUTPUT_BUCKETS,
  type PricedBucket,
  type PriceSheet,
  type PriceSheets,
  type PriceTiers,
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
  /** Token rates that it may be billed at, whichever options apply and whichever deployment serves it; at least one. */
  variants: readonly PriceVariant[];
}

/** What a request chooses, and the factors of the deployments that may serve it. */
export interface PriceChoices {
  options: readonly RequestedOption[];
  multipliersPpm: readonly bigint[];
}

const NO_CHOICE: PriceChoices = { options: [], multipliersPpm: [] };

/** The price of a request that starts at this time; Unix milliseconds. */
export function priceOfRequest(
  sheets: PriceSheets,
  startedAtMs: number,
  discountPpm: number,
  { options, multipliersPpm }: PriceChoices = NO_CHOICE,
): RequestPrice {
  const sheet = priceAt(sheets, startedAtMs);
  const multipliers = multipliersPpm.length === 0 ? [FULL_PPM] : [...new Set(multipliersPpm)];
  return { sheet, discountPpm, variants: reachableVariants(sheet, options, multipliers) };
}

/** What one call to a deployment was sent with, which decides what it is billed at. */
export interface SentPrice {
  options: readonly RequestedOption[];
  /** Of its deployment. */
  multiplierPpm: bigint;
}

const LIST_PRICE: SentPrice = { options: [], multiplierPpm: FULL_PPM };

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
  /** The price's version, and the tier and options that applied, as formatted by `priceVersionOf`. */
  version: string;
  /** Options that the provider reported and that could not be billed as reported. */
  unpriced: readonly OptionName[];
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
type TokenBucket = (typeof TOKEN_BUCKETS)[number];

/**
 * Prices a usage: one line per used bucket and rate, and their sum. The length of the prompt, including cached tokens,
 * decides the tier of all tokens of a call of the model; the provider may have made several.
 *
 * @param images images of the request, charged where the model has a price for them
 */
export function priceUsage(
  { sheet, discountPpm }: RequestPrice,
  usage: Usage,
  images: number,
  sent: SentPrice = LIST_PRICE,
): PricedUsage {
  const { options, unasked, unpriced } = billedOptions(sheet, sent.options, usage.options);
  const priceWith = (chosen: PriceOptions) =>
    priceVariant(sheet, variantOf(sheet, chosen, sent.multiplierPpm), usage, images, discountPpm);
  const asked = priceWith(options);
  const reported = unasked === undefined ? asked : priceWith(unasked);
  return { ...(reported.costNanos <= asked.costNanos ? reported : asked), unpriced };
}

function priceVariant(
  sheet: PriceSheet,
  variant: PriceVariant,
  usage: Usage,
  images: number,
  discountPpm: number,
): Omit<PricedUsage, 'unpriced'> {
  const lines: PricedLine[] = [];
  let costNanos = 0n;
  const add = (bucket: PricedBucket, quantity: bigint, rate: bigint) => {
    if (quantity === 0n) return;
    const amountNanos = lineAmount(quantity, rate, discountPpm);
    lines.push({ bucket, quantity, rateNanosPerMillion: rate, amountNanos });
    costNanos += amountNanos;
  };
  const calls = callsByTier(variant.tiers, usage);
  for (const bucket of TOKEN_BUCKETS) {
    for (const [rate, quantity] of quantitiesByRate(calls, bucket)) add(bucket, quantity, rate);
  }
  const quantities = itemsOf(sheet, images, usage.search);
  for (const bucket of ITEM_BUCKETS) add(bucket, quantities[bucket], rateOf(sheet.items, bucket));
  const longest = calls.reduce((a, b) => (b.tier.aboveInputTokens > a.tier.aboveInputTokens ? b : a));
  return { lines, costNanos, version: priceVersionOf(sheet, longest.tier, variant.applied) };
}

interface PricedCall {
  tier: TokenRates;
  quantities: Quantities;
}

/** The calls of the model with their tiers; the complete usage as one call where the reported calls are not all of it. */
function callsByTier(tiers: PriceTiers, usage: Usage): [PricedCall, ...PricedCall[]] {
  const [first, ...others] = addUpTo(usage, usage.iterations ?? []) ? (usage.iterations ?? []) : [];
  const priced = (quantities: Quantities): PricedCall => {
    const prompt = INPUT_BUCKETS.reduce((sum, bucket) => sum + BigInt(quantities[bucket]), 0n);
    return { tier: ratesForPrompt({ tiers }, prompt), quantities };
  };
  return first === undefined ? [priced(usage)] : [priced(first), ...others.map(priced)];
}

function addUpTo(usage: Usage, calls: readonly Quantities[]): boolean {
  return TOKEN_BUCKETS.every(
    (bucket) => calls.reduce((sum, call) => sum + BigInt(call[bucket]), 0n) === BigInt(usage[bucket]),
  );
}

/** The quantity of a bucket at each of its rates. */
function quantitiesByRate(calls: readonly PricedCall[], bucket: TokenBucket): Map<bigint, bigint> {
  const quantities = new Map<bigint, bigint>();
  for (const { tier, quantities: used } of calls) {
    const rate = rateOf(tier.rates, bucket);
    quantities.set(rate, (quantities.get(rate) ?? 0n) + BigInt(used[bucket]));
  }
  return quantities;
}

/** Images and calls are only listed where they have a price; searches as reported by the provider. */
function itemsOf({ items }: PriceSheet, images: number, searches: number) {
  const priced = (bucket: PricedBucket, quantity: bigint) => (rateOf(items, bucket) === 0n ? 0n : quantity);
  return { image: priced('image', BigInt(images)), search: BigInt(searches), request: priced('request', 1n) } as const;
}

/** Maximum cost of a usage within the bound, whichever buckets its tokens fall into and whichever rates apply. */
export function maxCostNanos(price: RequestPrice, bound: UsageBound): bigint {
  let max = 0n;
  for (const tier of reachableTiers(price, bound.inputTokens)) {
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
  for (const tier of reachableTiers(price, bound.inputTokens)) {
    const left = nanos - fixedNanos(price, tier, bound);
    if (left < 0n) return -1n;
    const each = tier.highestOutput * paidShare(price.discountPpm);
    const tokens = each === 0n ? UNLIMITED_TOKENS : (left * FULL_SHARE) / each;
    if (tokens < min) min = tokens;
  }
  return min;
}

/** The tiers that a prompt of at most this many tokens can reach, of every variant. */
function reachableTiers({ variants }: RequestPrice, inputTokens: bigint): readonly TokenRates[] {
  return variants.flatMap(({ tiers }) => tiers.filter((tier, at) => at === 0 || tier.aboveInputTokens < inputTokens));
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

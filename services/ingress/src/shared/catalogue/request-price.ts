import type { OptionName } from '@tollgate/common/billing/price-options';
import { ownRate } from '@tollgate/common/billing/price-rules';
import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { FULL_DISCOUNT_PPM, lineAmount, minBigInt, UNITS_PER_RATE } from '@tollgate/common/money';
import type { RequestedOption } from '@tollgate/protocols/canonical/price-options';
import { type CacheWriteBucket, inputTokensOf, type Quantities, type Usage } from '@tollgate/protocols/canonical/usage';
import { billedOptions, FULL_PPM, type PriceVariant, reachableVariants, variantOf } from './price-options.ts';
import {
  type PricedBucket,
  type PriceSheet,
  type PriceSheets,
  priceAt,
  TOKEN_BUCKETS,
  type TokenRates,
  tierOf,
} from './price-sheet.ts';

/** What an account pays instead of the list price. */
export interface PriceAdjustment {
  /** Discount on every line; parts per million. */
  discountPpm: number;
  /** Added to every list rate of the model, before the discount; parts per million. 0: the list price. */
  markupPpm: number;
}

/** The list price. */
export const NO_ADJUSTMENT: PriceAdjustment = { discountPpm: 0, markupPpm: 0 };

/** The price of one request: the one in effect when it started, as its account pays it. */
export interface RequestPrice extends PriceAdjustment {
  /** List prices. */
  sheet: PriceSheet;
  /** Bounds of every tier that it may be billed at, whichever options apply and whichever deployment serves it. */
  bounds: readonly TierBounds[];
}

/** What bounds the cost in one tier. Amounts are nano-dollars times FULL_SHARE for one token or item. */
interface TierBounds {
  aboveInputTokens: bigint;
  upToInputTokens: bigint | undefined;
  input: bigint;
  output: bigint;
  image: bigint;
  search: bigint;
  /** Nano-dollars of the call itself, with what the lines may be rounded up. */
  fixedNanos: bigint;
}

/** What a request chooses, and the factors of the deployments that may serve it. */
export interface PriceChoices {
  options: readonly RequestedOption[];
  /** None twice. */
  multipliersPpm: readonly bigint[];
}

const NO_CHOICE: PriceChoices = { options: [], multipliersPpm: [FULL_PPM] };

/** The last prices without options of each sheet: accounts have one of a few discounts and markups. */
const listPrices = new WeakMap<PriceSheet, { multipliersPpm: readonly bigint[]; price: RequestPrice }[]>();
const MAX_LIST_PRICES = 16;

/** The price of a request that starts at this time; Unix milliseconds. */
export function priceOfRequest(
  sheets: PriceSheets,
  startedAtMs: number,
  adjustment: PriceAdjustment,
  { options, multipliersPpm }: PriceChoices = NO_CHOICE,
): RequestPrice {
  const sheet = priceAt(sheets, startedAtMs);
  if (options.length > 0) return createPrice(sheet, adjustment, reachableVariants(sheet, options, multipliersPpm));
  const { discountPpm, markupPpm } = adjustment;
  const known = listPrices.get(sheet) ?? [];
  for (const { price, multipliersPpm: of } of known) {
    if (price.discountPpm === discountPpm && price.markupPpm === markupPpm && of === multipliersPpm) return price;
  }
  const price = createPrice(sheet, adjustment, reachableVariants(sheet, options, multipliersPpm));
  listPrices.set(sheet, [{ multipliersPpm, price }, ...known.slice(0, MAX_LIST_PRICES - 1)]);
  return price;
}

function createPrice(
  sheet: PriceSheet,
  { discountPpm, markupPpm }: PriceAdjustment,
  variants: readonly PriceVariant[],
): RequestPrice {
  const share = BigInt(FULL_DISCOUNT_PPM - discountPpm);
  const paid = (rate: bigint) => ownRate(rate, markupPpm) * share;
  const bounds = variants.flatMap(({ tiers }) => tiers.map((tier) => tierBounds(sheet, tier, paid)));
  return { sheet, discountPpm, markupPpm, bounds };
}

/** @param paid what the account pays at a list rate: a higher one costs no less */
function tierBounds({ items }: PriceSheet, tier: TokenRates, paid: (rate: bigint) => bigint): TierBounds {
  return {
    aboveInputTokens: tier.aboveInputTokens,
    upToInputTokens: tier.upToInputTokens,
    input: paid(tier.highestInput),
    output: paid(tier.highestOutput),
    image: paid(items.image),
    search: paid(items.search),
    fixedNanos: roundedUp(paid(items.request)) + roundingSlack(tier, paid),
  };
}

/**
 * Each line is rounded half to even, so their sum may exceed the exact sum: by at most half a nano-dollar for each line
 * whose rate is not a whole number of nano-dollars per token.
 */
function roundingSlack({ byBucket }: TokenRates, paid: (rate: bigint) => bigint): bigint {
  const rounding = TOKEN_BUCKETS.filter((bucket) => paid(byBucket[bucket]) % FULL_SHARE !== 0n);
  return BigInt(Math.floor(rounding.length / 2));
}

/** Divisor that turns quantity * rate * paid share into nano-dollars. */
const FULL_SHARE = UNITS_PER_RATE * BigInt(FULL_DISCOUNT_PPM);

/** A line's amount, rounded up instead of half to even. */
function roundedUp(amount: bigint): bigint {
  return (amount + FULL_SHARE - 1n) / FULL_SHARE;
}

/** What one call to a deployment was sent with, which decides what it is billed at. */
export interface SentPrice {
  options: readonly RequestedOption[];
  /** Of its deployment. */
  multiplierPpm: bigint;
  /** The lifetime of cache writes that the provider does not report; undefined: as short as any. */
  cacheLifetime?: CacheWriteBucket | undefined;
}

const LIST_PRICE: SentPrice = { options: [], multiplierPpm: FULL_PPM };

/** One line of a charge: a quantity of one bucket at the account's rate. The amount includes the discount. */
export interface PricedLine {
  bucket: string;
  quantity: bigint;
  rateNanosPerMillion: bigint;
  /** The list rate; undefined where it is what the account pays. */
  listRateNanosPerMillion: bigint | undefined;
  amountNanos: bigint;
}

/** The price of a usage. */
export interface PricedUsage {
  lines: PricedLine[];
  costNanos: bigint;
  /** The same usage at list prices; undefined where the account pays these. */
  baseCostNanos: bigint | undefined;
  /** The price's version, and the tier and options that applied, see `formatPriceVersion`. */
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

/**
 * Prices a usage: one line per used bucket and rate, and their sum. The length of the prompt, including cached tokens,
 * decides the tier of all tokens of a call of the model; the provider may have made several.
 *
 * @param images images of the request, charged where the model has a price for them
 */
export function priceUsage(
  { sheet, discountPpm, markupPpm }: RequestPrice,
  usage: Usage,
  images: number,
  sent: SentPrice = LIST_PRICE,
): PricedUsage {
  const { options, unasked, unpriced } = billedOptions(sheet, sent.options, usage.options);
  const quantities = { usage, images, discountPpm, markupPpm, unpriced };
  const asked = priceVariant(sheet, variantOf(sheet, options, sent.multiplierPpm), quantities);
  if (unasked === undefined) return asked;
  const reported = priceVariant(sheet, variantOf(sheet, unasked, sent.multiplierPpm), quantities);
  return reported.costNanos <= asked.costNanos ? reported : asked;
}

interface BilledQuantities extends PriceAdjustment {
  usage: Usage;
  images: number;
  unpriced: readonly OptionName[];
}

function priceVariant(
  { items }: PriceSheet,
  { tiers }: PriceVariant,
  { usage, images, discountPpm, markupPpm, unpriced }: BilledQuantities,
): PricedUsage {
  const calls = callsOf(usage);
  const callTiers = calls.map((call) => tierOf(tiers, inputTokensOf(call)));
  const lines: PricedLine[] = [];
  for (const bucket of TOKEN_BUCKETS) {
    const first = lines.length;
    for (let at = 0; at < calls.length; at++) {
      const rate = callTiers[at]?.byBucket[bucket] ?? 0n;
      addQuantity(lines, first, bucket, calls[at]?.[bucket] ?? 0, rate);
    }
  }
  // Images and calls are only listed where they have a price; searches as reported by the provider.
  if (items.image > 0n) addQuantity(lines, lines.length, 'image', images, items.image);
  addQuantity(lines, lines.length, 'search', usage.search, items.search);
  if (items.request > 0n) addQuantity(lines, lines.length, 'request', 1, items.request);
  const baseCostNanos = markupPpm === 0 ? undefined : markUp(lines, markupPpm);
  let costNanos = 0n;
  for (const line of lines) {
    line.amountNanos = lineAmount(line.quantity, line.rateNanosPerMillion, discountPpm);
    costNanos += line.amountNanos;
  }
  const longest = callTiers.reduce((a, b) => (b.aboveInputTokens > a.aboveInputTokens ? b : a), tiers[0]);
  return { lines, costNanos, baseCostNanos, version: longest.version, unpriced };
}

/**
 * Replaces the list rates of lines by the account's own.
 *
 * @returns what the lines cost at list prices; undefined if that is more than the ledger takes
 */
function markUp(lines: readonly PricedLine[], markupPpm: number): bigint | undefined {
  let baseCostNanos = 0n;
  for (const line of lines) baseCostNanos += lineAmount(line.quantity, line.rateNanosPerMillion);
  const isKept = baseCostNanos <= MAX_CHARGE_NANOS;
  for (const line of lines) {
    if (isKept) line.listRateNanosPerMillion = line.rateNanosPerMillion;
    line.rateNanosPerMillion = ownRate(line.rateNanosPerMillion, markupPpm);
  }
  return isKept ? baseCostNanos : undefined;
}

/** Adds a quantity to the line with its rate among those from `first` on, or in a new line, whose amount is not known yet. */
function addQuantity(lines: PricedLine[], first: number, bucket: PricedBucket, quantity: number, rate: bigint): void {
  if (quantity === 0) return;
  for (let at = first; at < lines.length; at++) {
    const line = lines[at];
    if (line?.rateNanosPerMillion !== rate) continue;
    line.quantity += BigInt(quantity);
    return;
  }
  lines.push({
    bucket,
    quantity: BigInt(quantity),
    rateNanosPerMillion: rate,
    listRateNanosPerMillion: undefined,
    amountNanos: 0n,
  });
}

/** The calls of the model; the complete usage as one call where the reported calls are not all of it. */
function callsOf(usage: Usage): readonly Quantities[] {
  const { iterations = [] } = usage;
  return iterations.length > 0 && addUpTo(usage, iterations) ? iterations : [usage];
}

function addUpTo(usage: Usage, calls: readonly Quantities[]): boolean {
  return TOKEN_BUCKETS.every(
    (bucket) => calls.reduce((sum, call) => sum + BigInt(call[bucket]), 0n) === BigInt(usage[bucket]),
  );
}

/** Maximum cost of a usage within the bound, whichever buckets its tokens fall into and whichever rates apply. */
export function maxCostNanos({ bounds }: RequestPrice, bound: UsageBound): bigint {
  let max = 0n;
  for (const tier of bounds) {
    if (!isReachable(tier, bound)) continue;
    const nanos = inputNanos(tier, bound) + roundedUp(bound.outputTokens * tier.output);
    if (nanos > max) max = nanos;
  }
  return max;
}

/**
 * Maximum number of output tokens that an amount pays for together with the input and images; negative when it does not
 * even cover the input.
 */
export function affordableOutputTokens(
  { bounds }: RequestPrice,
  bound: Omit<UsageBound, 'outputTokens'>,
  nanos: bigint,
): bigint {
  let min = UNLIMITED_TOKENS;
  for (const tier of bounds) {
    if (!isReachable(tier, bound)) continue;
    const left = nanos - inputNanos(tier, bound);
    if (left < 0n) return -1n;
    const tokens = tier.output === 0n ? UNLIMITED_TOKENS : (left * FULL_SHARE) / tier.output;
    if (tokens < min) min = tokens;
  }
  return min;
}

/** Whether a prompt of at most this many tokens can reach a tier. */
function isReachable({ aboveInputTokens }: TierBounds, { inputTokens }: Pick<UsageBound, 'inputTokens'>): boolean {
  return aboveInputTokens === 0n || aboveInputTokens < inputTokens;
}

/** Maximum cost of everything but the output, in one tier. */
function inputNanos(tier: TierBounds, { inputTokens, images, searches }: Omit<UsageBound, 'outputTokens'>): bigint {
  const { upToInputTokens: end } = tier;
  const longest = end === undefined ? inputTokens : minBigInt(inputTokens, end);
  return (
    roundedUp(longest * tier.input) +
    roundedUp(images * tier.image) +
    roundedUp(searches * tier.search) +
    tier.fixedNanos
  );
}

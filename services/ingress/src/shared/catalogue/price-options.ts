import { isListPrice, OPTION_NAMES, type OptionName } from '@tollgate/common/billing/price-options';
import { formatPriceVersion } from '@tollgate/common/billing/price-version';
import { formatFactor } from '@tollgate/common/money';
import type { PriceOptions, RequestedOption } from '@tollgate/protocols/canonical/price-options';
import type { CacheWriteBucket, Usage } from '@tollgate/protocols/canonical/usage';
import type { UsageDetails } from '@tollgate/protocols/canonical/usage-report';
import { type PriceSheet, type TokenRates, timesPpm } from './price-sheet.ts';

/** Parts per million of a price that is not multiplied. */
export const FULL_PPM = 1_000_000n;

/** A tier with the options that it is billed with. */
export interface VariantTier extends TokenRates {
  /** For the record of the charge, see `formatPriceVersion`. */
  version: string;
}

/** Token rates for one choice of options, served by a deployment with one multiplier. */
export interface PriceVariant {
  /** Shorter prompts first; at least one. */
  tiers: readonly [VariantTier, ...VariantTier[]];
}

/** No options: the list price. */
export const NO_OPTIONS: PriceOptions = {};

/** The variants without options, which nearly all requests are billed at, by multiplier; the catalogue has few of them. */
const listVariants = new WeakMap<PriceSheet, Map<bigint, PriceVariant>>();

/** The token rates with options that the price has; the order in which they are given does not matter. */
export function variantOf(sheet: PriceSheet, options: PriceOptions, multiplierPpm: bigint): PriceVariant {
  if (options !== NO_OPTIONS) return createVariant(sheet, options, multiplierPpm);
  const known = listVariants.get(sheet);
  const last = known?.get(multiplierPpm);
  if (last !== undefined) return last;
  const variant = createVariant(sheet, options, multiplierPpm);
  if (known === undefined) listVariants.set(sheet, new Map([[multiplierPpm, variant]]));
  else known.set(multiplierPpm, variant);
  return variant;
}

function createVariant(sheet: PriceSheet, options: PriceOptions, multiplierPpm: bigint): PriceVariant {
  let { tiers } = sheet;
  let ppm = multiplierPpm;
  let scale = FULL_PPM;
  // What applied, for the record of the charge; in a fixed order.
  const applied: Record<string, string> = {};
  for (const name of OPTION_NAMES) {
    const value = options[name];
    const option = value === undefined ? undefined : sheet.options.get(name)?.get(value);
    if (value === undefined || option === undefined) continue;
    applied[name] = value;
    if (option.tiers !== undefined) tiers = option.tiers;
    ppm *= option.multiplierPpm;
    scale *= FULL_PPM;
  }
  if (multiplierPpm !== FULL_PPM) applied['price_multiplier'] = formatFactor(multiplierPpm);
  const [shortest, ...longer] = ppm === scale ? tiers : timesPpm(tiers, ppm, scale);
  const named = (tier: TokenRates): VariantTier => ({
    ...tier,
    version: formatPriceVersion(sheet.version, tier.aboveInputTokens, applied),
  });
  return { tiers: [named(shortest), ...longer.map(named)] };
}

/** The variants that a request may be billed at: its options or the list price, or any price where the provider chooses. */
export function reachableVariants(
  sheet: PriceSheet,
  requested: readonly RequestedOption[],
  multipliersPpm: readonly bigint[],
): PriceVariant[] {
  let choices: PriceOptions[] = [NO_OPTIONS];
  for (const name of OPTION_NAMES) {
    const values = reachableValues(sheet, name, requested);
    choices = choices.flatMap((choice) => [choice, ...values.map((value) => ({ ...choice, [name]: value }))]);
  }
  return choices.flatMap((choice) => multipliersPpm.map((ppm) => variantOf(sheet, choice, ppm)));
}

function reachableValues(sheet: PriceSheet, name: OptionName, requested: readonly RequestedOption[]): string[] {
  const priced = sheet.options.get(name);
  const option = requested.find((one) => one.name === name);
  if (priced === undefined || option === undefined) return [];
  return option.isOpen ? [...priced.keys()] : priced.has(option.value) ? [option.value] : [];
}

/** What a response is billed at. */
export interface BilledOptions {
  options: PriceOptions;
  /** With what the provider reported and the request did not ask for: billed only if that costs no more. */
  unasked: PriceOptions | undefined;
  /** Options that were reported with a value that has no price, or that the request could not get. */
  unpriced: readonly OptionName[];
}

const LIST_PRICE: BilledOptions = { options: NO_OPTIONS, unasked: undefined, unpriced: [] };

/**
 * The options that a response is billed at: those it reports, and the requested ones where it reports none, or one that has
 * no price or that was not asked for.
 */
export function billedOptions(
  sheet: PriceSheet,
  sent: readonly RequestedOption[],
  reported: PriceOptions | undefined,
): BilledOptions {
  if (sent.length === 0 && reported === undefined) return LIST_PRICE;
  const options: Partial<Record<OptionName, string>> = {};
  const unasked: Partial<Record<OptionName, string>> = {};
  const unpriced: OptionName[] = [];
  for (const name of OPTION_NAMES) {
    const requested = sent.find((one) => one.name === name);
    const value = reported?.[name];
    const isPriced = value !== undefined && sheet.options.get(name)?.has(value) === true;
    if (value !== undefined && isListPrice(name, value)) continue;
    if (value !== undefined && isPriced && requested === undefined) unasked[name] = value;
    else if (value !== undefined && isPriced && (requested?.isOpen === true || requested?.value === value)) {
      options[name] = value;
    } else {
      if (value !== undefined) unpriced.push(name);
      if (requested !== undefined && !requested.isOpen) options[name] = requested.value;
    }
  }
  const hasUnasked = Object.keys(unasked).length > 0;
  if (!hasUnasked && unpriced.length === 0 && Object.keys(options).length === 0) return LIST_PRICE;
  return { options, unasked: hasUnasked ? { ...options, ...unasked } : undefined, unpriced };
}

/** A usage whose cache writes of unknown lifetime, which count as the shortest, have that which the request asked for. */
export function withLifetime(usage: Usage, asked: CacheWriteBucket | undefined): Usage {
  const { cache_write_5m: unknown } = usage;
  if (asked === undefined || asked === 'cache_write_5m' || unknown === 0) return usage;
  return { ...usage, cache_write_5m: 0, [asked]: usage[asked] + unknown };
}

/** A usage with what its report says of the price: the options that applied, and the calls of the model. */
export function withReport(usage: Usage, details: UsageDetails | undefined): Usage {
  if (details === undefined) return usage;
  const { serviceTier, speed, inferenceGeo, calls } = details;
  const words = {
    service_tier: serviceTier,
    speed: speed?.toLowerCase(),
    inference_geo: inferenceGeo?.toLowerCase(),
  };
  const options: Partial<Record<OptionName, string>> = {};
  for (const name of OPTION_NAMES) {
    const word = words[name];
    if (word !== undefined) options[name] = word;
  }
  return {
    ...usage,
    ...(Object.keys(options).length > 0 && { options }),
    ...(calls !== undefined && { iterations: calls }),
  };
}

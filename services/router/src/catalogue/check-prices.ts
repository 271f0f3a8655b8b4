import { checkOptions, optionsOf } from './price-options.ts';
import type { Finding, Path } from './problem.ts';
import { FULL_PPM } from './rate.ts';
import {
  type DeploymentEntry,
  type ModelEntry,
  type PriceEntry,
  type ProviderEntry,
  pricesOf,
  TOKEN_RATES,
} from './schema.ts';

/** Whether every price of a model has a rate for images, which then do not count as tokens. */
export function isPricedPerImage(entry: ModelEntry): boolean {
  return pricesOf(entry).every(({ price }) => price.image !== undefined);
}

/** Checks that there is one price at any time, and that tiers, options and versions are in order. */
export function checkPriceTimes(
  entry: ModelEntry,
  path: Path,
  providers: ReadonlyMap<string, ProviderEntry>,
): Finding[] {
  const findings: Finding[] = [];
  if (entry.price === undefined && entry.prices === undefined)
    findings.push({ path: [...path, 'price'], message: 'is missing' });
  if (entry.price !== undefined && entry.prices !== undefined)
    findings.push({ path: [...path, 'prices'], message: 'cannot be combined with price: use one of them' });
  let before = 0;
  for (const [at, { effective_from }] of (entry.prices ?? []).entries()) {
    const message = problemOfTime(at, effective_from, before);
    if (message !== undefined) findings.push({ path: [...path, 'prices', at, 'effective_from'], message });
    before = effective_from ?? before;
  }
  const multipliers = [...new Set(entry.deployments.map((one) => priceMultiplier(one, providers.get(one.provider))))];
  for (const { price, path: within } of pricesOf(entry)) {
    const place = [...path, ...within];
    findings.push(...checkTiers(price, place), ...checkOptions(price, place, multipliers));
    for (const { name, value, option } of optionsOf(price)) {
      const tiersOfOption = { ...price, tiers: option.tiers };
      findings.push(...checkTiers(tiersOfOption, [...place, 'options', name, value]));
    }
  }
  return findings;
}

/** Parts per million by which a deployment multiplies the token rates of its model. */
export function priceMultiplier(
  deployment: Pick<DeploymentEntry, 'price_multiplier'>,
  provider: Pick<ProviderEntry, 'price_multiplier'> | undefined,
): bigint {
  return deployment.price_multiplier ?? provider?.price_multiplier ?? FULL_PPM;
}

function problemOfTime(at: number, from: number | undefined, before: number): string | undefined {
  if (at === 0)
    return from === undefined ? undefined : 'must not be set for the first price, which applies until the second';
  if (from === undefined) return 'is missing';
  return from > before ? undefined : 'must be later than that of the previous price';
}

/** Rates that the tiers of a price must have too if the price has them, so that no tier omits one by mistake. */
const TIER_RATES = TOKEN_RATES.filter((name) => name !== 'input');

function checkTiers(price: Pick<PriceEntry, 'tiers' | (typeof TIER_RATES)[number]>, path: Path): Finding[] {
  const findings: Finding[] = [];
  let before = 0;
  for (const [at, tier] of (price.tiers ?? []).entries()) {
    const place = [...path, 'tiers', at];
    if (tier.above_input_tokens <= before) {
      const message = 'must be above that of the previous tier';
      findings.push({ path: [...place, 'above_input_tokens'], message });
    }
    before = tier.above_input_tokens;
    for (const name of TIER_RATES) {
      if (price[name] !== undefined && tier[name] === undefined)
        findings.push({ path: [...place, name], message: 'is required: the price has this rate for shorter prompts' });
      if (price[name] === undefined && tier[name] !== undefined)
        findings.push({
          path: [...place, name],
          message: 'must not be set: the price has no such rate for shorter prompts',
        });
    }
  }
  return findings;
}

/** Checks the prices of a model that generates. */
export function checkGenerationPrices(entry: ModelEntry, path: Path): Finding[] {
  return pricesOf(entry).flatMap(({ price, path: within }) =>
    price.output === undefined ? [{ path: [...path, ...within, 'output'], message: 'is missing' }] : [],
  );
}

/** Rates that an embedding model never charges: setting one is a mistake. */
const GENERATION_RATES = [
  ...TIER_RATES,
  'image',
  'search',
  'fetch',
  'options',
] as const satisfies readonly (keyof PriceEntry)[];

/** Checks the prices of an embedding model. */
export function checkEmbeddingPrices(entry: ModelEntry, path: Path): Finding[] {
  const message = 'is not allowed for an embedding model: it has only an input rate and a rate per request';
  return pricesOf(entry).flatMap(({ price, path: within }) =>
    GENERATION_RATES.filter((name) => price[name] !== undefined).map((name) => ({
      path: [...path, ...within, name],
      message,
    })),
  );
}

import { type ListedPrice, listedPrices, nanosOf, RATE_ORDER } from './price-list.ts';
import { isSameOption, priceWithOption, type TokenPrice } from './price-option.ts';
import type { Rates, SourceModel } from './price-source.ts';

/** A rate that two sources report differently. */
export interface Disagreement {
  /** Such as `output`, `output above 200000`, or `output with service_tier flex`. */
  rate: string;
  'genai-prices': string;
  litellm: string;
}

/** Rates of a model that both sources have now, and report differently. */
export function disagreements(model: SourceModel, today: string): Disagreement[] {
  const genai = model['genai-prices'] === undefined ? undefined : listedPrices(model['genai-prices'], today)[0];
  const litellm = model.litellm === undefined ? undefined : listedPrices(model.litellm, today)[0];
  if (genai === undefined || litellm === undefined) return [];
  return [...differentPrices(genai, litellm, ''), ...differentOptions(genai, litellm)];
}

function differentOptions(genai: ListedPrice, litellm: ListedPrice): Disagreement[] {
  return (genai.options ?? []).flatMap((one) => {
    const other = litellm.options?.find((option) => isSameOption(option, one));
    if (other === undefined) return [];
    const suffix = ` with ${one.name} ${one.value}`;
    if ('rates' in one || 'rates' in other)
      return differentPrices(priceWithOption(one, genai), priceWithOption(other, litellm), suffix);
    if (one.multiplier === other.multiplier) return [];
    return [{ rate: `multiplier${suffix}`, 'genai-prices': one.multiplier, litellm: other.multiplier }];
  });
}

function differentPrices(genai: TokenPrice, litellm: TokenPrice, suffix: string): Disagreement[] {
  const found = differentRates(genai.rates, litellm.rates, suffix);
  const bounds = new Set([...genai.tiers, ...litellm.tiers].map((tier) => tier.above_input_tokens));
  for (const bound of bounds) {
    const [one, other] = [genai, litellm].map(({ tiers }) => tiers.find((tier) => tier.above_input_tokens === bound));
    if (one !== undefined && other !== undefined) {
      found.push(...differentRates(one.rates, other.rates, ` above ${bound}${suffix}`));
    } else {
      const rate = `tier above ${bound}${suffix}`;
      found.push({ rate, 'genai-prices': presence(one), litellm: presence(other) });
    }
  }
  return found;
}

function presence(tier: unknown): string {
  return tier === undefined ? 'none' : 'listed';
}

function differentRates(genai: Rates, litellm: Rates, suffix: string): Disagreement[] {
  return RATE_ORDER.flatMap((name) => {
    const [one, other] = [genai[name], litellm[name]];
    if (one === undefined || other === undefined || nanosOf(one) === nanosOf(other)) return [];
    return [{ rate: `${name}${suffix}`, 'genai-prices': one, litellm: other }];
  });
}

import { isTokenRate, listedPrices, nanosOf, RATE_ORDER } from './price-list.ts';
import type { Rates, SourceModel } from './price-source.ts';

/** A rate that two sources report differently. */
export interface Disagreement {
  /** Such as `output`, or `output above 200000`. */
  rate: string;
  'genai-prices': string;
  litellm: string;
}

/** Rates per token of a model that both sources have now, and report differently. */
export function disagreements(model: SourceModel, today: string): Disagreement[] {
  const genai = model['genai-prices'] === undefined ? undefined : listedPrices(model['genai-prices'], today)[0];
  const litellm = model.litellm === undefined ? undefined : listedPrices(model.litellm, today)[0];
  if (genai === undefined || litellm === undefined) return [];
  const found = differentRates(genai.rates, litellm.rates, '');
  const bounds = new Set([...genai.tiers, ...litellm.tiers].map((tier) => tier.above_input_tokens));
  for (const bound of bounds) {
    const [one, other] = [genai, litellm].map(({ tiers }) => tiers.find((tier) => tier.above_input_tokens === bound));
    if (one !== undefined && other !== undefined) {
      found.push(...differentRates(one.rates, other.rates, ` above ${bound}`));
    } else {
      found.push({ rate: `tier above ${bound}`, 'genai-prices': presence(one), litellm: presence(other) });
    }
  }
  return found;
}

function presence(tier: unknown): string {
  return tier === undefined ? 'none' : 'listed';
}

function differentRates(genai: Rates, litellm: Rates, suffix: string): Disagreement[] {
  return RATE_ORDER.filter(isTokenRate).flatMap((name) => {
    const [one, other] = [genai[name], litellm[name]];
    if (one === undefined || other === undefined || nanosOf(one) === nanosOf(other)) return [];
    return [{ rate: `${name}${suffix}`, 'genai-prices': one, litellm: other }];
  });
}

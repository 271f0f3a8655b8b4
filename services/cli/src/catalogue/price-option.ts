import { formatDollars } from '@tollgate/common/money';
import { parseMultiplier } from '@tollgate/router/catalogue/rate';
import { isTokenRate, nanosOf, RATE_ORDER } from './price-list.ts';
import type { Rates, SourceOption } from './price-source.ts';

/** Rates per token, and those for long prompts. */
export interface TokenPrice {
  rates: Rates;
  tiers: readonly { above_input_tokens: number; rates: Rates }[];
}

/** What tokens cost with an option: its own rates, or those of the price times its multiplier. */
export function priceWithOption(option: SourceOption, price: TokenPrice): TokenPrice {
  if ('rates' in option) return { rates: option.rates, tiers: option.tiers ?? [] };
  const ppm = multiplierPpm(option.multiplier);
  return {
    rates: multiplied(price.rates, ppm),
    tiers: price.tiers.map((tier) => ({ ...tier, rates: multiplied(tier.rates, ppm) })),
  };
}

/** Parts per million of a multiplier’s text. */
export function multiplierPpm(text: string): bigint {
  const parsed = parseMultiplier(text);
  if (!parsed.ok) throw new Error(`a source has a multiplier that ${parsed.message}: ${text}`);
  return parsed.ppm;
}

/** Whether two prices are of the same option. */
export function isSameOption(one: SourceOption, other: SourceOption): boolean {
  return one.name === other.name && one.value === other.value;
}

function multiplied(rates: Rates, ppm: bigint): Rates {
  return Object.fromEntries(
    RATE_ORDER.filter(isTokenRate).flatMap((name) => {
      const rate = rates[name];
      return rate === undefined ? [] : [[name, formatDollars((nanosOf(rate) * ppm) / 1_000_000n)]];
    }),
  );
}

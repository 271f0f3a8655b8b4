import { TOKEN_BUCKETS } from '@tollgate/common/billing/buckets';
import { parseDollars } from '@tollgate/common/money';
import {
  ITEM_RATES,
  type RateName,
  type Rates,
  type SourceFacts,
  type SourceOption,
  type SourcePrice,
  type TokenRateName,
} from './price-source.ts';

/** A price as a catalogue has it; `effective_from` is a time with its offset. */
export interface ListedPrice {
  effective_from?: string;
  rates: Rates;
  /** Lines of other fields, kept from a catalogue. */
  others?: string[];
  tiers: { above_input_tokens: number; rates: Rates }[];
  options?: readonly SourceOption[];
}

/**
 * The prices of a model in effect on a day and later, as a catalogue lists them. A catalogue has one price at a time: of
 * prices that depend on the hour, each rate is the highest, so that no request is charged below its cost. An option that is
 * a multiple of the price remains one; one with rates of its own is known only for the first price.
 *
 * @param today a date in UTC
 */
export function listedPrices(facts: SourceFacts, today: string): ListedPrice[] {
  const dated = facts.prices.filter(({ hours }) => hours === undefined);
  const hourly = facts.prices.filter(({ hours }) => hours !== undefined);
  const current = dated.findLast(({ from }) => from === undefined || from <= today);
  const later = dated.filter(({ from }) => from !== undefined && from > today);
  const [first, ...others] = [...(current === undefined ? [] : [current]), ...later];
  if (first === undefined) return [];
  const options = facts.options ?? [];
  const multiples = options.filter((option) => 'multiplier' in option);
  return [
    { ...listed(first, hourly), ...withOptions(options) },
    ...others.map((price) => ({
      effective_from: `${price.from}T00:00:00Z`,
      ...listed(price, hourly),
      ...withOptions(multiples),
    })),
  ];
}

function withOptions(options: readonly SourceOption[]): Pick<ListedPrice, 'options'> {
  return options.length === 0 ? {} : { options };
}

function listed({ rates, tiers }: SourcePrice, hourly: readonly SourcePrice[]): ListedPrice {
  const highest = hourly.reduce((all, price) => highestOf(all, price.rates), rates);
  return {
    rates: withoutEqualReasoning(highest),
    tiers: (tiers ?? []).map((tier) => ({ ...tier, rates: withoutEqualReasoning(tier.rates) })),
  };
}

function highestOf(some: Rates, others: Rates): Rates {
  const rates = { ...some };
  for (const name of RATE_ORDER) {
    const other = others[name];
    if (other !== undefined && nanosOf(other) > nanosOf(rates[name] ?? '0')) rates[name] = other;
  }
  return rates;
}

/** Reasoning costs the output rate unless a catalogue has another. */
function withoutEqualReasoning({ reasoning, ...rates }: Rates): Rates {
  return reasoning === undefined || reasoning === rates.output ? rates : { ...rates, reasoning };
}

export const RATE_ORDER: readonly RateName[] = [...TOKEN_BUCKETS, ...ITEM_RATES];

export function isTokenRate(name: RateName): name is TokenRateName {
  return TOKEN_BUCKETS.some((token) => token === name);
}

/** Nano-dollars per million of a rate’s text. */
export function nanosOf(text: string): bigint {
  const nanos = parseDollars(text);
  if (nanos === undefined) throw new Error(`a source has a rate that is no amount of dollars: ${text}`);
  return nanos;
}

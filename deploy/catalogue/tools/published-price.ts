import { calcPrice, type ModelPrice, type Provider } from '@pydantic/genai-prices';

export const RATE_NAMES = [
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'reasoning',
  'search',
  'request',
] as const;
export type RateName = (typeof RATE_NAMES)[number];

/** The fields of genai-prices, and by what they become a price per million. */
const FIELDS: Readonly<Record<RateName, { name: string; factor: number }>> = {
  input: { name: 'input_mtok', factor: 1 },
  cache_read: { name: 'cache_read_mtok', factor: 1 },
  cache_write_5m: { name: 'cache_write_mtok', factor: 1 },
  cache_write_1h: { name: 'cache_write_1h_mtok', factor: 1 },
  output: { name: 'output_mtok', factor: 1 },
  reasoning: { name: 'output_reasoning_mtok', factor: 1 },
  search: { name: 'web_searches_kcount', factor: 1_000 },
  request: { name: 'requests_kcount', factor: 1_000 },
};

/** Nano-dollars per million. */
export type Rates = Partial<Record<RateName, bigint>>;

/** What genai-prices has for a model. */
export interface PublishedPrice {
  /** The model's id there: it also finds models by a part of their name. */
  model: string;
  rates: Rates;
  /** Rates of longer prompts, shortest first. */
  tiers: { above_input_tokens: number; rates: Rates }[];
}

/**
 * The price of a provider's model on a day (UTC). Of prices that depend on the hour, each rate is the highest, as in a
 * catalogue.
 */
export function publishedPrice(provider: Provider, model: string, day: string): PublishedPrice | undefined {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const hours = Array.from({ length: 24 }, (_, hour) => new Date(midnight + hour * 3_600_000));
  const found = hours.flatMap((timestamp) => calcPrice({ input_tokens: 0 }, model, { provider, timestamp }) ?? []);
  const [first] = found;
  if (first === undefined) return undefined;
  const prices = found.map(({ model_price }) => model_price);
  const starts = new Set(prices.flatMap((price) => Object.values(price).flatMap(startsOf)));
  return {
    model: first.model.id,
    rates: highest(prices.map((price) => ratesOf(price, 0))),
    tiers: [...starts]
      .sort((a, b) => a - b)
      .map((start) => ({ above_input_tokens: start, rates: highest(prices.map((price) => ratesOf(price, start))) })),
  };
}

function startsOf(rate: ModelPrice[string]): number[] {
  return typeof rate === 'object' ? rate.tiers.map(({ start }) => start) : [];
}

/** The rates of prompts that are longer than a number of tokens. */
function ratesOf(price: ModelPrice, tokens: number): Rates {
  const rates: Rates = {};
  for (const rate of RATE_NAMES) {
    const { name, factor } = FIELDS[rate];
    const published = price[name];
    if (published === undefined) continue;
    const dollars =
      typeof published === 'number'
        ? published
        : (published.tiers.findLast(({ start }) => tokens > 0 && start <= tokens)?.price ?? published.base);
    rates[rate] = BigInt(Math.round(dollars * factor * 1e9));
  }
  return rates;
}

function highest(all: readonly Rates[]): Rates {
  const rates: Rates = {};
  for (const each of all) {
    for (const name of RATE_NAMES) {
      const [known, other] = [rates[name], each[name]];
      if (other !== undefined && (known === undefined || other > known)) rates[name] = other;
    }
  }
  return rates;
}

import type { Provider } from '@pydantic/genai-prices';
import { formatDollars } from '@tollgate/common/money';
import { readDocument } from '@tollgate/router/catalogue/document';
import { catalogueSchema, isEmbeddingModel, type ModelEntry, pricesOf } from '@tollgate/router/catalogue/schema';
import { type PublishedPrice, publishedPrice, RATE_NAMES, type RateName, type Rates } from './published-price.ts';

/** What a comparison of a catalogue's prices with those of genai-prices found. */
export interface Compared {
  /** One line each, such as `gpt-5: output is 9, but 10 for gpt-5`. */
  differences: string[];
  /** Models that genai-prices does not have. */
  unknown: string[];
}

/**
 * Compares a catalogue's prices of a day (UTC) with those of genai-prices. Rates that are not published are not compared, nor
 * are searches and calls that the catalogue does not sell.
 *
 * @param findProvider finds the provider of an address
 */
export function comparePrices(
  text: string,
  findProvider: (baseUrl: string) => Provider | undefined,
  day: string,
): Compared {
  const read = readDocument(text);
  if (!read.ok) throw new Error('it cannot be read: check it with `tollgate catalogue check`');
  const { providers, models } = catalogueSchema.parse(read.document.value);
  const urls = new Map(providers.map(({ id, base_url }) => [id, base_url]));
  const compared: Compared = { differences: [], unknown: [] };
  for (const entry of models) {
    const [deployment] = entry.deployments;
    const provider = findProvider(urls.get(deployment?.provider ?? '') ?? '');
    const published = provider === undefined ? undefined : publishedPrice(provider, deployment?.model ?? entry.id, day);
    if (published === undefined) {
      compared.unknown.push(entry.id);
      continue;
    }
    const lines = compareModel(entry, published, day);
    compared.differences.push(...lines.map((line) => `${entry.id}: ${line} for ${published.model}`));
  }
  return compared;
}

function compareModel(entry: ModelEntry, published: PublishedPrice, day: string): string[] {
  const now = Date.parse(`${day}T00:00:00Z`);
  const own = pricesOf(entry).findLast(({ price }) => (price.effective_from ?? 0) <= now)?.price;
  if (own === undefined) return [];
  if (isEmbeddingModel(entry)) return compareRates({ input: own.input }, published.rates, '');
  const tiers = own.tiers ?? [];
  const [ours, theirs] = [boundsOf(tiers), boundsOf(published.tiers)];
  return [
    ...compareRates(own, published.rates, ''),
    ...(ours === theirs
      ? tiers.flatMap((tier, at) =>
          compareRates(tier, published.tiers[at]?.rates ?? {}, ` above ${tier.above_input_tokens} tokens`),
        )
      : [`rates of long prompts: ${ours}, but ${theirs}`]),
  ];
}

function boundsOf(tiers: readonly { above_input_tokens: number }[]): string {
  return tiers.length === 0 ? 'none' : tiers.map((tier) => `above ${tier.above_input_tokens} tokens`).join(' and ');
}

type OwnRates = { readonly [name in RateName]?: bigint | undefined };

function compareRates(own: OwnRates, published: Rates, suffix: string): string[] {
  return RATE_NAMES.flatMap((name) => {
    const [ours, theirs] = [rateOf(own, name), published[name]];
    if (ours === undefined || theirs === undefined || ours === theirs) return [];
    return [`${name}${suffix} is ${formatDollars(ours)}, but ${formatDollars(theirs)}`];
  });
}

/** A rate for tokens that is absent is the input or output rate. */
function rateOf(rates: OwnRates, name: RateName): bigint | undefined {
  switch (name) {
    case 'search':
    case 'request':
      return rates[name];
    case 'reasoning':
      return rates.reasoning ?? rates.output;
    case 'output':
      return rates.output;
    case 'input':
    case 'cache_read':
    case 'cache_write_5m':
    case 'cache_write_1h':
      return rates[name] ?? rates.input;
    default:
      return name satisfies never;
  }
}

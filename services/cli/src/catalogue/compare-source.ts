import { TOKEN_BUCKETS } from '@tollgate/common/billing/buckets';
import { formatDollars, formatFactor } from '@tollgate/common/money';
import type { Path } from '@tollgate/router/catalogue/problem';
import {
  type Catalogue,
  type DatedPriceEntry,
  isEmbeddingModel,
  type ModelEntry,
  type PriceOptionEntry,
  pricesOf,
} from '@tollgate/router/catalogue/schema';
import { chosenFacts, type Decision } from './decisions.ts';
import { isTokenRate, type ListedPrice, listedPrices, nanosOf, RATE_ORDER } from './price-list.ts';
import { multiplierPpm, priceWithOption, type TokenPrice } from './price-option.ts';
import type { RateName, Rates, SourceFacts, SourceIndex, SourceName, SourceOption } from './price-source.ts';

/** A difference of a model in a catalogue from what the source reports. */
export interface SourceDifference {
  kind: 'rate' | 'tiers' | 'option' | 'limit';
  model: string;
  path: Path;
  /** Such as `price.output`. */
  field: string;
  /** As the file has it. */
  file: string;
  source: string;
  sourceName: SourceName;
  /** Of a rate: the difference in parts per million of the source’s rate. */
  ppm?: bigint;
}

/** What the source has for a model of a catalogue. */
export interface ComparedModel {
  model: string;
  path: Path;
  /** Absent if no provider of the model is in the source. */
  known?:
    | { provider: string; facts: SourceFacts; name: SourceName; retired?: string }
    | { provider: string; upstream: string };
  differences: SourceDifference[];
}

export interface Comparison {
  index: SourceIndex;
  decisions: readonly Decision[];
  /** A date in UTC. */
  today: string;
}

/** Compares prices and limits of a catalogue with those of the source. */
export function compareWithSource(catalogue: Catalogue, comparison: Comparison): ComparedModel[] {
  const urls = new Map(catalogue.providers.map(({ id, base_url }) => [id, base_url]));
  return catalogue.models.map((entry, at) => compareModel(entry, ['models', at], urls, comparison));
}

function compareModel(
  entry: ModelEntry,
  path: Path,
  urls: ReadonlyMap<string, string>,
  { index, decisions, today }: Comparison,
): ComparedModel {
  const compared = { model: entry.id, path, differences: [] };
  for (const deployment of entry.deployments) {
    const provider = index.provider(urls.get(deployment.provider) ?? '');
    if (provider === undefined) continue;
    const upstream = deployment.model ?? entry.id;
    const model = index.model(provider, upstream);
    const chosen = model === undefined ? undefined : chosenFacts(model, decisions);
    if (model === undefined || chosen === undefined) return { ...compared, known: { provider: provider.id, upstream } };
    const retired = model.litellm?.retired;
    return {
      ...compared,
      known: { provider: provider.id, ...chosen, ...(retired !== undefined && { retired }) },
      differences: [
        ...comparePrices(entry, path, chosen, today),
        ...compareLimits(entry, path, [model['genai-prices'], model.litellm], chosen.name),
      ],
    };
  }
  return compared;
}

interface Chosen {
  name: SourceName;
  facts: SourceFacts;
}

function comparePrices(entry: ModelEntry, path: Path, { name, facts }: Chosen, today: string): SourceDifference[] {
  const [listed] = listedPrices(facts, today);
  const now = Date.parse(`${today}T00:00:00Z`);
  const current = pricesOf(entry).findLast(({ price }) => (price.effective_from ?? 0) <= now);
  if (listed === undefined || current === undefined) return [];
  const place = [...path, ...current.path];
  const base = { model: entry.id, sourceName: name };
  const isEmbedding = isEmbeddingModel(entry);
  const isRate = isEmbedding ? (rate: RateName) => rate === 'input' : () => true;
  return [
    ...compareRates(current.price, listed.rates, place, isRate),
    ...compareTiers(current.price, listed.tiers, place),
    ...(isEmbedding ? [] : compareOptions(current.price, listed, place)),
  ].map((found) => ({ ...base, ...found, field: `price.${found.field}` }));
}

type Found = Pick<SourceDifference, 'kind' | 'path' | 'field' | 'file' | 'source' | 'ppm'>;

/** Rates of a price, a tier or an option of a catalogue; only a price has rates per item. */
type RatesEntry = { readonly [name in RateName]?: bigint | undefined };

function compareRates(price: RatesEntry, rates: Rates, path: Path, isRate: (name: RateName) => boolean): Found[] {
  return RATE_ORDER.filter(isRate).flatMap((name) => {
    const source = rates[name];
    if (source === undefined) return [];
    const own = price[name];
    // A rate that is absent is the input or output rate; without a rate per item, items are not sold.
    const file = own ?? (isTokenRate(name) ? fallbackOf(price, name) : undefined);
    const nanos = nanosOf(source);
    if (file === nanos) return [];
    return [
      {
        kind: 'rate' as const,
        path: own === undefined ? path : [...path, name],
        field: name,
        file: file === undefined ? 'none' : formatDollars(file),
        source,
        ...(file !== undefined && { ppm: partsPerMillion(file, nanos) }),
      },
    ];
  });
}

function fallbackOf(price: RatesEntry, name: RateName): bigint | undefined {
  return name === 'output' || name === 'reasoning' ? price.output : price.input;
}

function partsPerMillion(file: bigint, source: bigint): bigint {
  const distance = file > source ? file - source : source - file;
  return source === 0n ? (distance === 0n ? 0n : 1_000_000_000n) : (distance * 1_000_000n) / source;
}

function compareTiers(price: Pick<DatedPriceEntry, 'tiers'>, listed: TokenPrice['tiers'], path: Path): Found[] {
  const own = price.tiers ?? [];
  const bounds = own.map((tier) => tier.above_input_tokens).join(', ');
  const expected = listed.map((tier) => tier.above_input_tokens).join(', ');
  if (bounds !== expected) {
    return [
      {
        kind: 'tiers',
        path: own.length === 0 ? path : [...path, 'tiers'],
        field: 'tiers',
        file: bounds === '' ? 'none' : `above ${bounds}`,
        source: expected === '' ? 'none' : `above ${expected}`,
      },
    ];
  }
  return own.flatMap((tier, at) =>
    compareRates(tier, listed[at]?.rates ?? {}, [...path, 'tiers', at], isTokenRate).map((found) => ({
      ...found,
      field: `tiers[${at}].${found.field}`,
    })),
  );
}

function compareOptions(price: DatedPriceEntry, listed: ListedPrice, path: Path): Found[] {
  return (listed.options ?? []).flatMap((option) => {
    const { name, value } = option;
    const own = price.options?.[name]?.[value];
    const field = `options.${name}.${value}`;
    if (own === undefined) return [{ kind: 'option' as const, path, field, file: 'none', source: describe(option) }];
    return compareOption(price, own, option, listed, [...path, 'options', name, value]).map((found) => ({
      ...found,
      field: `${field}.${found.field}`,
    }));
  });
}

function compareOption(
  price: DatedPriceEntry,
  own: PriceOptionEntry,
  option: SourceOption,
  listed: ListedPrice,
  path: Path,
): Found[] {
  if (own.multiplier !== undefined && 'multiplier' in option) {
    const [file, source] = [own.multiplier, multiplierPpm(option.multiplier)];
    if (file === source) return [];
    const ppm = partsPerMillion(file, source);
    const texts = { file: formatFactor(file), source: formatFactor(source) };
    return [{ kind: 'rate', path: [...path, 'multiplier'], field: 'multiplier', ...texts, ppm }];
  }
  const expected = priceWithOption(option, listed);
  const compare = (rates: RatesEntry & Pick<DatedPriceEntry, 'tiers'>) => [
    ...compareRates(rates, expected.rates, path, isTokenRate),
    ...compareTiers(rates, expected.tiers, path),
  ];
  if (own.multiplier === undefined) return compare(own);
  return compare(multiplied(price, own.multiplier)).map((found) => ({ ...found, path: [...path, 'multiplier'] }));
}

function multiplied(price: DatedPriceEntry, ppm: bigint): RatesEntry & Pick<DatedPriceEntry, 'tiers'> {
  const times = (entry: RatesEntry) =>
    Object.fromEntries(
      TOKEN_BUCKETS.flatMap((name) => {
        const rate = entry[name];
        return rate === undefined ? [] : [[name, (rate * ppm) / 1_000_000n]];
      }),
    );
  const tiers = price.tiers?.map((tier) => ({ ...tier, ...times(tier) }));
  return { ...times(price), ...(tiers !== undefined && { tiers }) };
}

/** Such as `multiplier 0.5`, or `input 5, output 30`. */
function describe(option: SourceOption): string {
  if ('multiplier' in option) return `multiplier ${option.multiplier}`;
  return TOKEN_BUCKETS.flatMap((name) => {
    const rate = option.rates[name];
    return rate === undefined ? [] : [`${name} ${rate}`];
  }).join(', ');
}

/** A limit is compared with every source, because sources mean different things by the context window. */
function compareLimits(
  entry: ModelEntry,
  path: Path,
  sources: readonly (SourceFacts | undefined)[],
  sourceName: SourceName,
): SourceDifference[] {
  return (['context_window', 'max_output_tokens'] as const).flatMap((field) => {
    const known = sources.flatMap((facts) => facts?.[field] ?? []);
    const own = entry[field];
    if (own === undefined || known.length === 0 || known.includes(own)) return [];
    return [
      {
        kind: 'limit' as const,
        model: entry.id,
        path: [...path, field],
        field,
        file: String(own),
        source: [...new Set(known)].join(' or '),
        sourceName,
      },
    ];
  });
}

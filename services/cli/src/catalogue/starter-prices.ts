import { OPTION_NAMES } from '@tollgate/common/billing/price-options';
import { isMap, isNode, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { chosenFacts, type Decision } from './decisions.ts';
import { isTokenRate, type ListedPrice, listedPrices, RATE_ORDER } from './price-list.ts';
import { isSameOption } from './price-option.ts';
import type { Rates, SourceIndex, SourceModel, SourceOption } from './price-source.ts';
import { formatPrices } from './price-yaml.ts';

/** A model of a catalogue’s text, and what the source has for it. */
export interface StarterModel {
  id: string;
  /** Absent if the source does not know the provider or the model. */
  source?: SourceModel;
}

/**
 * Writes the prices of the source into a catalogue’s text; everything else stays as it is. A rate or option that the source
 * does not have is kept, and a rate per item is written only where the text has one: without, the item is not sold.
 *
 * @param today a date in UTC, whose prices are written, and later ones
 */
export function updatePrices(
  text: string,
  index: SourceIndex,
  decisions: readonly Decision[],
  today: string,
): { text: string; models: StarterModel[] } {
  const document = parseDocument(text, { schema: 'failsafe' });
  const providers = new Map(
    mapsOf(document.get('providers')).map((provider) => [textOf(provider, 'id'), textOf(provider, 'base_url')]),
  );
  const models: StarterModel[] = [];
  const edits: { start: number; end: number; text: string }[] = [];
  for (const entry of mapsOf(document.get('models'))) {
    const id = textOf(entry, 'id');
    const [deployment] = mapsOf(entry.get('deployments'));
    const provider = index.provider(
      providers.get(deployment === undefined ? '' : textOf(deployment, 'provider')) ?? '',
    );
    const upstream = (deployment === undefined ? '' : textOf(deployment, 'model')) || id;
    const source = provider === undefined ? undefined : index.model(provider, upstream);
    models.push({ id, ...(source !== undefined && { source }) });
    const chosen = source === undefined ? undefined : chosenFacts(source, decisions);
    const pair = entry.items.find(({ key }) => isScalar(key) && (key.value === 'price' || key.value === 'prices'));
    if (chosen === undefined || pair === undefined) continue;
    const listed = listedPrices(chosen.facts, today);
    const prices = isEmbedding(entry)
      ? listed.map(inputOnly)
      : listed.map((price, at) => withKept(price, at, pair, text));
    const { start, end } = rangeOf(pair, text);
    edits.push({ start, end, text: formatPrices(prices, 4).trimStart().trimEnd() });
  }
  const updated = edits.reduceRight((all, edit) => all.slice(0, edit.start) + edit.text + all.slice(edit.end), text);
  return { text: updated, models };
}

/** Adds what a price in the text has and the source does not, to the price and its tiers. */
function withKept(price: ListedPrice, at: number, { key, value }: Pair, text: string): ListedPrice {
  const before = isScalar(key) && key.value === 'prices' && isSeq(value) ? (value.items[at] ?? value.items[0]) : value;
  if (!isMap(before) || price.rates.input === undefined) return price;
  const tiers = mapsOf(before.get('tiers'));
  return {
    ...price,
    rates: { ...ratesOf(before), ...soldRates(price.rates, before) },
    others: otherFields(before, text),
    tiers: price.tiers.map((tier) => {
      const same = tiers.find((entry) => textOf(entry, 'above_input_tokens') === String(tier.above_input_tokens));
      return { ...tier, rates: { ...(same === undefined ? {} : ratesOf(same)), ...tier.rates } };
    }),
    ...withOptions([...(price.options ?? []), ...keptOptions(before, price.options ?? [])]),
  };
}

function soldRates(rates: Rates, before: YAMLMap): Rates {
  const sold = RATE_ORDER.filter((name) => isTokenRate(name) || before.has(name));
  return Object.fromEntries(sold.flatMap((name) => (rates[name] === undefined ? [] : [[name, rates[name]]])));
}

function withOptions(options: readonly SourceOption[]): Pick<ListedPrice, 'options'> {
  return options.length === 0 ? {} : { options };
}

/** Options of a price in the text that the source does not have. */
function keptOptions(before: YAMLMap, known: readonly SourceOption[]): SourceOption[] {
  const options = before.get('options');
  return OPTION_NAMES.flatMap((name) => {
    const values = isMap(options) ? options.get(name) : undefined;
    return (isMap(values) ? values.items : []).flatMap(({ key, value }): SourceOption[] => {
      if (!isScalar(key) || !isMap(value)) return [];
      const option = { name, value: String(key.value), ...optionPrice(value) };
      return known.some((one) => isSameOption(one, option)) ? [] : [option];
    });
  });
}

function optionPrice(map: YAMLMap): { multiplier: string } | Pick<ListedPrice, 'rates' | 'tiers'> {
  const multiplier = textOf(map, 'multiplier');
  if (multiplier !== '') return { multiplier };
  const tiers = mapsOf(map.get('tiers')).map((tier) => ({
    above_input_tokens: Number(textOf(tier, 'above_input_tokens')),
    rates: ratesOf(tier),
  }));
  return { rates: ratesOf(map), tiers };
}

/** Fields of a price that the source never has. */
function otherFields(map: YAMLMap, text: string): string[] {
  return map.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || !isNode(value) || WRITTEN.has(String(key.value))) return [];
    const start = key.range?.[0] ?? 0;
    const indent = start - text.lastIndexOf('\n', start) - 1;
    const lines = text.slice(start, value.range?.[1]).trimEnd().split('\n');
    return lines.map((line, at) => (at === 0 ? line : line.slice(indent)));
  });
}

/** Fields of a price that are written from the source. */
const WRITTEN: ReadonlySet<string> = new Set([...RATE_ORDER, 'tiers', 'options', 'effective_from']);

/** Whether a model returns vectors, which have no price of their own. */
function isEmbedding(entry: YAMLMap): boolean {
  const output = entry.get('output');
  return isSeq(output) && output.items.some((item) => isScalar(item) && item.value === 'embedding');
}

function inputOnly({ rates: { input }, ...price }: ListedPrice): ListedPrice {
  return { ...price, rates: input === undefined ? {} : { input }, tiers: [], options: [] };
}

/** Reasoning without a rate in the source costs the output rate. */
function isKept(name: string): boolean {
  return name !== 'reasoning' && RATE_ORDER.some((rate) => rate === name);
}

function ratesOf(map: YAMLMap): { [name: string]: string } {
  return Object.fromEntries(
    map.items.flatMap(({ key, value }) =>
      isScalar(key) && isScalar(value) && isKept(String(key.value)) ? [[String(key.value), String(value.value)]] : [],
    ),
  );
}

function rangeOf({ key, value }: Pair, text: string): { start: number; end: number } {
  const start = isScalar(key) ? key.range?.[0] : undefined;
  const end = isMap(value) || isSeq(value) ? value.range?.[1] : undefined;
  if (start === undefined || end === undefined) throw new Error('a price is no map');
  return { start, end: start + text.slice(start, end).trimEnd().length };
}

function mapsOf(list: unknown): YAMLMap[] {
  return isSeq(list) ? list.items.filter(isMap) : [];
}

function textOf(map: YAMLMap, key: string): string {
  const value = map.get(key);
  return typeof value === 'string' ? value : '';
}

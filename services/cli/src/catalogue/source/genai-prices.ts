import { shiftDecimal } from '../decimal.ts';
import type { RateName, Rates, SourceFacts, SourceOption, SourcePrice } from '../price-source.ts';
import { type PythonCall, type PythonValue, parsePythonValue } from './python-literal.ts';
import { isOption, toSourceOption } from './source-option.ts';

/** A model of genai-prices. */
export interface GenaiModel {
  id: string;
  aliases: string[];
  facts: SourceFacts;
}

/** Rates of genai-prices, and the powers of ten from their unit to a million. */
const RATES: Readonly<Record<string, { name: RateName; places: number }>> = {
  input_mtok: { name: 'input', places: 0 },
  output_mtok: { name: 'output', places: 0 },
  cache_read_mtok: { name: 'cache_read', places: 0 },
  cache_write_mtok: { name: 'cache_write_5m', places: 0 },
  cache_write_1h_mtok: { name: 'cache_write_1h', places: 0 },
  output_reasoning_mtok: { name: 'reasoning', places: 0 },
  web_searches_kcount: { name: 'search', places: 3 },
  requests_kcount: { name: 'request', places: 3 },
};

/** Models of each provider in `genai_prices/data.py`. Those without a price per token are left out. */
export function parseGenaiPrices(text: string): Map<string, GenaiModel[]> {
  const list = /^providers\b[^=]*= */m.exec(text);
  if (list === null) throw new Error('there is no list of providers in data.py');
  const providers = parsePythonValue(text, list.index + list[0].length);
  return new Map(
    asList(providers).map((provider) => {
      const { id, models } = asCall(provider, 'Provider').named;
      return [asText(id), asList(models).flatMap((model) => readModel(asCall(model, 'ModelInfo')))];
    }),
  );
}

function readModel({ named }: PythonCall): GenaiModel[] {
  const { id, match, context_window, deprecated, prices, price_variants } = named;
  if (deprecated === true || prices === undefined) return [];
  const conditional = Array.isArray(prices) ? prices.map(readConditional) : [readPrice(prices)];
  const read = conditional.filter((price) => price !== undefined);
  if (read.length === 0) return [];
  const options = Array.isArray(price_variants) ? readOptions(price_variants, read) : [];
  const facts = {
    ...(typeof context_window === 'number' && { context_window }),
    prices: read,
    ...(options.length > 0 && { options }),
  };
  return [{ id: asText(id), aliases: equalNames(match).filter((name) => name !== id), facts }];
}

/** The names that a model’s clause lists literally. */
function equalNames(clause: PythonValue | undefined): string[] {
  if (!isCall(clause)) return [];
  if (clause.name === 'ClauseEquals') return [asText(clause.named['equals'])];
  return clause.name === 'ClauseOr' ? asList(clause.named['or_']).flatMap(equalNames) : [];
}

function readConditional(value: PythonValue): SourcePrice | undefined {
  const { constraint, prices } = asCall(value, 'ConditionalPrice').named;
  const price = readPrice(prices);
  if (price === undefined || !isCall(constraint)) return price;
  const { start_date, start_time, end_time } = constraint.named;
  if (constraint.name === 'StartDateConstraint') return { from: readDate(start_date), ...price };
  if (constraint.name === 'TimeOfDateConstraint')
    return { hours: [readTime(start_time), readTime(end_time)], ...price };
  throw new Error(`genai-prices has a new kind of condition: ${constraint.name}`);
}

/** Prices of options that a request can choose; other variants, such as those of batches, are left out. */
function readOptions(variants: readonly PythonValue[], list: readonly SourcePrice[]): SourceOption[] {
  const options = new Map<string, SourceOption>();
  for (const variant of variants) {
    const { when, prices, constraint } = asCall(variant, 'PriceVariant').named;
    const [[name, value] = ['', ''], ...others] = Object.entries(asCall(when, 'dict').named);
    const price = readPrice(prices);
    if (price === undefined || others.length > 0 || typeof value !== 'string' || !isOption(name, value)) continue;
    const from = isCall(constraint) ? readDate(asCall(constraint, 'StartDateConstraint').named['start_date']) : '';
    const base = list.findLast((one) => one.hours === undefined && (one.from ?? '') <= from) ?? list[0];
    if (base === undefined) continue;
    const option = toSourceOption(name, value, price, base);
    const key = `${name} ${value}`;
    const earlier = options.get(key);
    if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(option))
      throw new Error(`the price of ${key} changes at a date: ${JSON.stringify([earlier, option])}`);
    options.set(key, option);
  }
  return [...options.values()];
}

function readPrice(value: PythonValue | undefined): SourcePrice | undefined {
  const { named } = asCall(value, 'ModelPrice');
  const known = Object.entries(named).flatMap(([key, rate]) => {
    const target = RATES[key];
    return target === undefined ? [] : [{ ...target, ...readRate(rate) }];
  });
  const starts = [...new Set(known.flatMap(({ tiers }) => tiers.map(({ start }) => start)))].sort((a, b) => a - b);
  const rates: Rates = Object.fromEntries(known.map(({ name, places, base }) => [name, shifted(base, places)]));
  if (rates.input === undefined) return undefined;
  const tiers = starts.map((above_input_tokens) => ({
    above_input_tokens,
    rates: Object.fromEntries(
      known
        .filter(({ places }) => places === 0)
        .map(({ name, base, tiers }) => [
          name,
          shifted(tiers.findLast(({ start }) => start <= above_input_tokens)?.price ?? base, 0),
        ]),
    ),
  }));
  return { rates, ...(tiers.length > 0 && { tiers }) };
}

interface TieredRate {
  base: string;
  tiers: { start: number; price: string }[];
}

function readRate(value: PythonValue): TieredRate {
  const call = asCall(value);
  if (call.name === 'Decimal') return { base: asText(call.positional[0]), tiers: [] };
  if (call.name !== 'TieredPrices') throw new Error(`genai-prices has a new kind of rate: ${call.name}`);
  const tiers = asList(call.named['tiers']).map((tier) => {
    const { start, price } = asCall(tier, 'Tier').named;
    if (typeof start !== 'number') throw new Error('a tier of genai-prices has no start');
    return { start, price: readDecimal(price) };
  });
  return { base: readDecimal(call.named['base']), tiers: tiers.sort((a, b) => a.start - b.start) };
}

function readDecimal(value: PythonValue | undefined): string {
  return asText(asCall(value, 'Decimal').positional[0]);
}

function shifted(text: string, places: number): string {
  const result = shiftDecimal(text, places);
  if (result === undefined) throw new Error(`genai-prices has a rate that is no decimal: ${text}`);
  return result;
}

function readDate(value: PythonValue | undefined): string {
  const [year, month, day] = asCall(value, 'datetime.date').positional;
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
}

function readTime(value: PythonValue | undefined): string {
  const { positional, named } = asCall(value, 'datetime.time');
  if (named['tzinfo'] !== 'datetime.UTC') throw new Error('a time of genai-prices is not in UTC');
  const [hours, minutes = 0] = positional;
  return `${twoDigits(hours)}:${twoDigits(minutes)}`;
}

function twoDigits(value: PythonValue | undefined): string {
  return String(value).padStart(2, '0');
}

function isCall(value: PythonValue | undefined): value is PythonCall {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asCall(value: PythonValue | undefined, name?: string): PythonCall {
  if (isCall(value) && (name === undefined || value.name === name)) return value;
  throw new Error(`genai-prices has something else in place of ${name ?? 'a call'}: ${JSON.stringify(value)}`);
}

function asList(value: PythonValue | undefined): PythonValue[] {
  if (Array.isArray(value)) return value;
  throw new Error(`genai-prices has something else in place of a list: ${JSON.stringify(value)}`);
}

function asText(value: PythonValue | undefined): string {
  if (typeof value === 'string') return value;
  throw new Error(`genai-prices has something else in place of a text: ${JSON.stringify(value)}`);
}

import { shiftDecimal } from '../decimal.ts';
import type { RateName, Rates, SourceFacts, SourceOption, SourcePrice } from '../price-source.ts';
import { toSourceOption } from './source-option.ts';

/** Entries of litellm, with numbers as their source text. */
type Entry = { [field: string]: unknown };

const RATES: Readonly<Record<string, RateName>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_write_5m',
  cache_creation_input_token_cost_above_1hr: 'cache_write_1h',
  output_cost_per_reasoning_token: 'reasoning',
};

/** Values of `service_tier` with prices of their own, by the suffix of their fields. */
const SERVICE_TIERS = ['flex', 'priority', 'ultrafast'] as const;

/** Modes of models that generate text or vectors. */
const MODES: ReadonlySet<unknown> = new Set(['chat', 'responses', 'embedding']);

/** Models of each provider in `model_prices_and_context_window.json`, by name. Those without a price per token are left out. */
export function parseLitellm(text: string): Map<string, Map<string, SourceFacts>> {
  const entries: { [name: string]: unknown } = JSON.parse(text, keepNumberText);
  const byProvider = new Map<string, Map<string, SourceFacts>>();
  for (const [key, entry] of Object.entries(entries)) {
    if (!isEntry(entry) || !MODES.has(entry['mode'])) continue;
    const provider = entry['litellm_provider'];
    const facts = readFacts(entry);
    if (typeof provider !== 'string' || facts === undefined) continue;
    const name = key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key;
    const models = byProvider.get(provider) ?? new Map<string, SourceFacts>();
    byProvider.set(provider, models.set(name, facts));
  }
  return byProvider;
}

/** Parsed numbers may be rounded. */
function keepNumberText(_: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

function readFacts(entry: Entry): SourceFacts | undefined {
  const price = withSearch(readTiered(entry['tiered_pricing']) ?? readPrice(entry, ''), entry);
  if (price === undefined) return undefined;
  const retired = entry['deprecation_date'];
  const tokens = [wholeNumber(entry['max_input_tokens']), wholeNumber(entry['max_output_tokens'])] as const;
  return {
    ...(tokens[0] !== undefined && { context_window: tokens[0] }),
    ...(tokens[1] !== undefined && { max_output_tokens: tokens[1] }),
    ...(entry['mode'] === 'embedding' && { embedding: true as const }),
    input: [
      'text' as const,
      ...(entry['supports_vision'] === true ? (['image'] as const) : []),
      ...(entry['supports_audio_input'] === true ? (['audio'] as const) : []),
      ...(entry['supports_pdf_input'] === true ? (['file'] as const) : []),
    ],
    ...(entry['supports_reasoning'] === true && { reasoning: true }),
    ...(typeof retired === 'string' && /^\d{4}-\d\d-\d\d$/.test(retired) && { retired }),
    prices: [price],
    ...withOptions(readOptions(entry, price)),
  };
}

function withOptions(options: SourceOption[]): Pick<SourceFacts, 'options'> {
  return options.length === 0 ? {} : { options };
}

/** Prices of service tiers, and Anthropic’s multipliers of fast mode and of inference in the US. */
function readOptions(entry: Entry, list: SourcePrice): SourceOption[] {
  const tiers = SERVICE_TIERS.flatMap((value) => {
    const price = readPrice(entry, `_${value}`);
    return price === undefined ? [] : [toSourceOption('service_tier', value, price, list)];
  });
  const { fast, us } = isEntry(entry['provider_specific_entry']) ? entry['provider_specific_entry'] : {};
  return [
    ...tiers,
    ...(typeof fast === 'string' ? [{ name: 'speed' as const, value: 'fast', multiplier: readFactor(fast) }] : []),
    ...(typeof us === 'string' ? [{ name: 'inference_geo' as const, value: 'us', multiplier: readFactor(us) }] : []),
  ];
}

function readFactor(text: string): string {
  const factor = shiftDecimal(text, 0);
  if (factor === undefined) throw new Error(`litellm has a multiplier that is no decimal: ${text}`);
  return factor;
}

/** The price in the fields with a suffix, such as `_flex`. */
function readPrice(entry: Entry, suffix: string): SourcePrice | undefined {
  const rates = readRates(entry, suffix);
  if (rates.input === undefined) return undefined;
  const bounds = Object.keys(entry).flatMap((key) => {
    const bound = /^input_cost_per_token(_above_\d+k_tokens)(_[a-z]+)?$/.exec(key);
    return bound?.[1] !== undefined && (bound[2] ?? '') === suffix ? [bound[1]] : [];
  });
  const tiers = bounds
    .map((bound) => ({
      above_input_tokens: Number(/\d+/.exec(bound)?.[0]) * 1_000,
      rates: { ...rates, ...readRates(entry, `${bound}${suffix}`) },
    }))
    .sort((a, b) => a.above_input_tokens - b.above_input_tokens);
  return { rates, ...(tiers.length > 0 && { tiers }) };
}

function withSearch(price: SourcePrice | undefined, entry: Entry): SourcePrice | undefined {
  const search = readSearch(entry['search_context_cost_per_query']);
  return price === undefined || search === undefined ? price : { ...price, rates: { ...price.rates, search } };
}

/** Prices by ranges of the prompt’s length. */
function readTiered(list: unknown): SourcePrice | undefined {
  if (!Array.isArray(list)) return undefined;
  const [first, ...others] = list.filter(isEntry);
  const rates = first === undefined ? {} : readRates(first, '');
  if (rates.input === undefined) return undefined;
  const tiers = others.map((tier) => {
    const range: unknown = tier['range'];
    return {
      above_input_tokens: Array.isArray(range) ? (wholeNumber(range[0]) ?? 0) : 0,
      rates: { ...rates, ...readRates(tier, '') },
    };
  });
  return { rates, ...(tiers.length > 0 && { tiers }) };
}

/** Rates with a suffix. A cache write for 0 is one that the provider does not report. */
function readRates(entry: Entry, suffix: string): Rates {
  const rates: Rates = {};
  for (const [field, name] of Object.entries(RATES)) {
    const value = entry[`${field}${suffix}`];
    const rate = typeof value === 'string' ? shiftDecimal(value, 6) : undefined;
    if (rate === undefined || (rate === '0' && name !== 'input' && name !== 'output')) continue;
    rates[name] = rate;
  }
  return rates;
}

/** The rate of a search, if it is the same for every amount of context. */
function readSearch(value: unknown): string | undefined {
  if (!isEntry(value)) return undefined;
  const [first, ...others] = new Set(Object.values(value));
  return typeof first === 'string' && others.length === 0 ? shiftDecimal(first, 6) : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

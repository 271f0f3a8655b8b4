import { readFileSync } from 'node:fs';
import { TOKEN_BUCKETS } from '@tollgate/common/billing/buckets';
import { OPTION_NAMES } from '@tollgate/common/billing/price-options';
import { z } from 'zod';

/** Rates of items of a price in a catalogue, after the rates of tokens. */
export const ITEM_RATES = ['search', 'request'] as const;

export type TokenRateName = (typeof TOKEN_BUCKETS)[number];
export type RateName = TokenRateName | (typeof ITEM_RATES)[number];

/** US dollars per million, as decimal text. */
export type Rates = Partial<Record<RateName, string>>;

export const SOURCE_NAMES = ['genai-prices', 'litellm'] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

const ratesSchema = z.partialRecord(z.enum([...TOKEN_BUCKETS, ...ITEM_RATES]), z.string());
const day = z.iso.date();
const hour = z.string().regex(/^\d\d:\d\d$/);

const tiersSchema = z.array(z.strictObject({ above_input_tokens: z.int(), rates: ratesSchema }));

const sourcePriceSchema = z.strictObject({
  from: day.optional(),
  hours: z.tuple([hour, hour]).optional(),
  rates: ratesSchema,
  tiers: tiersSchema.optional(),
});

const optionName = { name: z.enum(OPTION_NAMES), value: z.string() };
const sourceOptionSchema = z.union([
  z.strictObject({ ...optionName, multiplier: z.string() }),
  z.strictObject({ ...optionName, rates: ratesSchema, tiers: tiersSchema.optional() }),
]);

const factsSchema = z.strictObject({
  context_window: z.int().optional(),
  max_output_tokens: z.int().optional(),
  input: z.array(z.enum(['text', 'image', 'audio', 'file'])).optional(),
  embedding: z.literal(true).optional(),
  reasoning: z.boolean().optional(),
  retired: day.optional(),
  prices: z.array(sourcePriceSchema),
  options: z.array(sourceOptionSchema).optional(),
});

const sourceModelSchema = z.strictObject({
  provider: z.string(),
  id: z.string(),
  aliases: z.array(z.string()).optional(),
  'genai-prices': factsSchema.optional(),
  litellm: factsSchema.optional(),
});

const sourceProviderSchema = z.strictObject({
  id: z.string(),
  hosts: z.array(z.string()).min(1),
  genai_prices: z.string().optional(),
  litellm: z.string().optional(),
  model_prefix: z.string().optional(),
  name_prefix: z.string().optional(),
});

const headerSchema = z.strictObject({
  read: day.describe('When the sources were read'),
  sources: z.array(z.strictObject({ name: z.enum(SOURCE_NAMES), version: z.string(), license: z.string() })),
  providers: z.array(sourceProviderSchema),
});

/** What a source reports of a model. */
export type SourceFacts = z.output<typeof factsSchema>;
/** A price of a model: from a date (UTC) on, or within hours of each day (UTC). */
export type SourcePrice = z.output<typeof sourcePriceSchema>;
/** What tokens cost for requests with an option: a multiple of the model’s price, or rates of its own. */
export type SourceOption = z.output<typeof sourceOptionSchema>;
export type SourceModel = z.output<typeof sourceModelSchema>;
export type SourceProvider = z.output<typeof sourceProviderSchema>;
export type SourceHeader = z.output<typeof headerSchema>;

export const sourceProvidersSchema = z.array(sourceProviderSchema);

/** Public prices and limits of models, read from dated sources. */
export interface PriceSource extends SourceHeader {
  models: readonly SourceModel[];
}

/** The extract that is shipped. */
export const EXTRACT = new URL('../../../../deploy/catalogue/source/prices.jsonl', import.meta.url);

/** Reads the shipped extract: a header, then one model per line. */
export function readPriceSource(text = readFileSync(EXTRACT, 'utf8')): PriceSource {
  const [header = '', ...models] = text.trimEnd().split('\n');
  return {
    ...headerSchema.parse(JSON.parse(header)),
    models: models.map((line) => sourceModelSchema.parse(JSON.parse(line))),
  };
}

/** Writes an extract as it is shipped. */
export function formatPriceSource({ models, ...header }: PriceSource): string {
  return `${[header, ...models].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Finds models of a source by the host of the provider’s API and the model’s name there. */
export class SourceIndex {
  readonly source: PriceSource;
  readonly #providers = new Map<string, SourceProvider>();
  readonly #models = new Map<string, SourceModel>();

  constructor(source: PriceSource) {
    this.source = source;
    for (const provider of source.providers) for (const host of provider.hosts) this.#providers.set(host, provider);
    // An id takes precedence over the alias of another model.
    for (const model of source.models)
      for (const name of model.aliases ?? []) this.#models.set(keyOf(model.provider, name), model);
    for (const model of source.models) this.#models.set(keyOf(model.provider, model.id), model);
  }

  /** The provider that an API’s base URL belongs to, if the source has it. */
  provider(baseUrl: string): SourceProvider | undefined {
    return URL.canParse(baseUrl) ? this.#providers.get(new URL(baseUrl).hostname) : undefined;
  }

  model(provider: SourceProvider, upstreamModel: string): SourceModel | undefined {
    const prefix = provider.model_prefix ?? '';
    const name = upstreamModel.startsWith(prefix) ? upstreamModel.slice(prefix.length) : upstreamModel;
    return this.#models.get(keyOf(provider.id, name));
  }
}

function keyOf(provider: string, name: string): string {
  return `${provider} ${name.toLowerCase()}`;
}

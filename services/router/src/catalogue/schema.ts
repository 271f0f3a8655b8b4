import { DEFAULT_UPSTREAM_TIMEOUTS } from '@tollgate/common/upstream-timeouts';
import { z } from 'zod';
import {
  created,
  credentialReference,
  headerName,
  headerValue,
  modelId,
  moment,
  perMinute,
  plainId,
  rate,
  timeoutMs,
  tokenCount,
} from './fields.ts';

/** Limits of a catalogue. Its route table must fit into one message beside. */
export const MAX_PROVIDERS = 200;
export const MAX_MODELS = 2_000;
const MAX_DEPLOYMENTS_PER_MODEL = 20;
const MAX_ALIASES = 20;
const MAX_CREDENTIALS = 20;
const MAX_TIERS = 8;
const MAX_PRICES = 20;

export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export const AUTH_SCHEMES = ['bearer', 'x-api-key', 'x-goog-api-key', 'none'] as const;
export const INPUT_MODALITIES = ['text', 'image', 'audio', 'file'] as const;
export const OUTPUT_MODALITIES = [...INPUT_MODALITIES, 'embedding'] as const;

const credentials = {
  api_key: credentialReference.optional().describe('The credential'),
  api_keys: z
    .array(credentialReference)
    .min(1)
    .max(MAX_CREDENTIALS)
    .optional()
    .describe('Several credentials, tried in this order; instead of api_key'),
};

const timeouts = z
  .strictObject({
    connect_ms: timeoutMs.default(DEFAULT_UPSTREAM_TIMEOUTS.connectMs),
    first_byte_ms: timeoutMs
      .default(DEFAULT_UPSTREAM_TIMEOUTS.firstByteMs)
      .describe('From the request sent to the first byte of the response'),
    idle_ms: timeoutMs.default(DEFAULT_UPSTREAM_TIMEOUTS.idleMs).describe('Longest silence within a response'),
    total_ms: timeoutMs.default(DEFAULT_UPSTREAM_TIMEOUTS.totalMs).describe('Longest duration of a call'),
  })
  .prefault({});

export const providerSchema = z.strictObject({
  id: plainId,
  protocol: z.enum(PROTOCOLS),
  base_url: z
    .string()
    .max(2_000)
    .describe(`Origin and path prefix. \${NAME} stands for a variable of the router’s environment`),
  auth: z.enum(AUTH_SCHEMES).default('bearer').describe('How the credential is sent'),
  ...credentials,
  simulated: z.boolean().default(false).describe('Answers are made up, not by a model; shown wherever models are'),
  headers: z
    .record(headerName, headerValue)
    .default({})
    .refine((headers) => Object.keys(headers).length <= 20, 'must be at most 20')
    .describe('Sent with each call. Never credentials'),
  timeouts,
});

const tokenRates = {
  input: rate,
  output: rate.optional().describe('Needed for every model but an embedding model, which has none'),
  cache_read: rate.optional().describe('Input read from a cache; the input rate when absent'),
  cache_write_5m: rate.optional().describe('Input written to a cache for 5 minutes; the input rate when absent'),
  cache_write_1h: rate.optional().describe('Input written to a cache for an hour; the input rate when absent'),
  reasoning: rate.optional().describe('Reasoning tokens; the output rate when absent'),
};

export const priceTierSchema = z.strictObject({
  above_input_tokens: tokenCount
    .min(1)
    .describe('Where the prompt, cached tokens included, is longer, these rates apply to all of its tokens'),
  ...tokenRates,
});

export const priceSchema = z.strictObject({
  version: plainId
    .optional()
    .describe('A label for this price. A digest of the rates is added, so a changed rate is always another version'),
  ...tokenRates,
  tiers: z.array(priceTierSchema).min(1).max(MAX_TIERS).optional().describe('Rates for long prompts, shortest first'),
  image: rate.optional().describe('US dollars per million images of the input'),
  search: rate.optional().describe('US dollars per million searches that the provider ran'),
  request: rate.optional().describe('US dollars per million calls, for each call that is charged'),
});

export const datedPriceSchema = priceSchema.extend({
  effective_from: moment
    .optional()
    .describe('Requests that start then or later have this price. The first of the list has none: it always held'),
});

export const deploymentSchema = z.strictObject({
  id: modelId.optional().describe('Unique in the catalogue; <model>@<provider> when absent'),
  provider: plainId.describe('Id of a provider'),
  model: z.string().min(1).max(200).optional().describe('The model’s name at the provider; the model’s id when absent'),
  weight: z.int().min(1).max(1_000).default(1).describe('Share of calls among deployments of the same priority'),
  priority: z.int().min(0).max(100).default(0).describe('Lower is tried first'),
  ...credentials,
});

const modelLimitsSchema = z.strictObject({
  requests_per_minute: perMinute.optional(),
  tokens_per_minute: perMinute.optional().describe('Tokens of input and output together'),
});

export const modelSchema = z.strictObject({
  id: modelId,
  aliases: z.array(modelId).max(MAX_ALIASES).default([]).describe('Other names under which it may be called'),
  display_name: z.string().min(1).max(200).optional(),
  owned_by: z.string().min(1).max(200).optional().describe('The id of the first provider when absent'),
  created: created.default(0),
  protocols: z
    .array(z.enum(PROTOCOLS))
    .min(1)
    .optional()
    .describe('Client protocols under which it may be called; all when absent. Not for embedding models'),
  input: z.array(z.enum(INPUT_MODALITIES)).min(1).default(['text']),
  output: z
    .array(z.enum(OUTPUT_MODALITIES))
    .min(1)
    .default(['text'])
    .describe('embedding, alone, for an embedding model'),
  context_window: tokenCount.min(1).describe('Tokens'),
  max_output_tokens: tokenCount
    .min(1)
    .optional()
    .describe('Tokens. Needed for every model but an embedding model, which has none'),
  enabled: z.boolean().default(true).describe('False: known, but switched off'),
  price: priceSchema.optional().describe('The price, unless it changes at a known time'),
  prices: z
    .array(datedPriceSchema)
    .min(1)
    .max(MAX_PRICES)
    .optional()
    .describe('Instead of price: prices, each from its time on, earliest first'),
  deployments: z.array(deploymentSchema).min(1).max(MAX_DEPLOYMENTS_PER_MODEL),
  tokens_per_message: tokenCount
    .max(10_000)
    .default(8)
    .describe('Maximum tokens that the provider’s template adds to each message'),
  tokens_per_request: tokenCount
    .max(100_000)
    .default(32)
    .describe('Maximum tokens that the provider’s template adds to a request'),
  max_tokens_per_image: tokenCount
    .max(1_000_000)
    .default(0)
    .describe('Maximum tokens that one input image can cost; required when images are accepted'),
  on_disconnect: z
    .enum(['abort', 'drain'])
    .default('abort')
    .describe('When the client leaves: abort the upstream call, or read it to its end since it is billed anyway'),
  limits: modelLimitsSchema.optional().describe('Of each account that calls the model, beside its own'),
});

/** The catalogue file. */
export const catalogueSchema = z.strictObject({
  version: z.literal(1).describe('Of this file format'),
  providers: z.array(providerSchema).min(1).max(MAX_PROVIDERS),
  models: z.array(modelSchema).min(1).max(MAX_MODELS),
});

export type ProviderEntry = z.output<typeof providerSchema>;
export type ModelEntry = z.output<typeof modelSchema>;
export type DeploymentEntry = z.output<typeof deploymentSchema>;
export type PriceEntry = z.output<typeof priceSchema>;
export type PriceTierEntry = z.output<typeof priceTierSchema>;
export type DatedPriceEntry = z.output<typeof datedPriceSchema>;
export type Catalogue = z.output<typeof catalogueSchema>;
export type CredentialEntry = z.output<typeof credentialReference>;

/** Whether a model returns vectors instead of text. */
export function isEmbeddingModel(entry: Pick<ModelEntry, 'output'>): boolean {
  return entry.output.includes('embedding');
}

/** The prices of a model with their paths within its entry, in order; none where the entry has neither form. */
export function pricesOf(
  entry: Pick<ModelEntry, 'price' | 'prices'>,
): { price: DatedPriceEntry; path: PropertyKey[] }[] {
  if (entry.prices !== undefined) return entry.prices.map((price, at) => ({ price, path: ['prices', at] }));
  return entry.price === undefined ? [] : [{ price: entry.price, path: ['price'] }];
}

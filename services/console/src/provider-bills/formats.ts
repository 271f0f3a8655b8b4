/** How an export says what was billed. readRecords names the columns; of alternatives, the first one that a row has counts. */
export interface BillFormat {
  /** For people. */
  name: string;
  /** Columns by which an export is recognised: it has all of them. */
  signature: readonly string[];
  /** A date or time: RFC 3339, `2026-11-30 08:00:00 UTC`, or Unix seconds. */
  day: string;
  /** The model, or a text that begins with it. */
  model: readonly string[];
  /** Columns that are added up. */
  inputTokens?: readonly string[];
  cacheReadTokens?: readonly string[];
  outputTokens?: readonly string[];
  cost?: { column: string; unit: 'dollars' | 'cents'; currency?: string };
  /** The model in the text of its column. */
  modelOf?: (text: string) => string;
}

/** `gpt-5-mini-2025-08-07, cached input` of a cost names the model before the comma. */
const beforeComma = (text: string) => text.split(',', 1)[0] ?? '';
/** `Gemini 2.5 Flash Lite GA Text Input - Predictions`, `Generate content output token count gemini 2.5 pro`. */
const geminiOf = (text: string) =>
  /gemini[ -]\d+(?:\.\d+)?[ -](?:flash[ -]lite|flash|pro|ultra|nano)/i.exec(text)?.[0] ?? text;

/**
 * What OpenAI, Anthropic, Google and OpenRouter export, by the references of their usage and cost APIs and by the files that their
 * consoles save. The more particular come first.
 */
export const BILL_FORMATS: readonly BillFormat[] = [
  {
    // https://platform.openai.com/docs/api-reference/usage, for completions and embeddings. Cached tokens are part of the input.
    name: 'OpenAI usage',
    signature: ['start_time', 'input_tokens'],
    day: 'start_time',
    model: ['model'],
    inputTokens: ['input_tokens'],
    cacheReadTokens: ['input_cached_tokens'],
    outputTokens: ['output_tokens'],
  },
  {
    name: 'OpenAI costs',
    signature: ['start_time', 'amount.value'],
    day: 'start_time',
    model: ['line_item'],
    modelOf: beforeComma,
    cost: { column: 'amount.value', unit: 'dollars', currency: 'amount.currency' },
  },
  {
    name: 'OpenAI costs (CSV)',
    signature: ['start_time', 'amount_value', 'line_item'],
    day: 'start_time',
    model: ['line_item'],
    modelOf: beforeComma,
    cost: { column: 'amount_value', unit: 'dollars', currency: 'amount_currency' },
  },
  {
    // https://platform.claude.com/docs/en/api/admin/usage_report: input without what a cache read or wrote.
    name: 'Anthropic usage',
    signature: ['starting_at', 'uncached_input_tokens'],
    day: 'starting_at',
    model: ['model'],
    inputTokens: [
      'uncached_input_tokens',
      'cache_creation.ephemeral_5m_input_tokens',
      'cache_creation.ephemeral_1h_input_tokens',
      'cache_read_input_tokens',
    ],
    cacheReadTokens: ['cache_read_input_tokens'],
    outputTokens: ['output_tokens'],
  },
  {
    name: 'Anthropic usage (CSV)',
    signature: ['usage_date_utc', 'usage_input_tokens_no_cache'],
    day: 'usage_date_utc',
    model: ['model_version'],
    inputTokens: [
      'usage_input_tokens_no_cache',
      'usage_input_tokens_cache_write_5m',
      'usage_input_tokens_cache_write_1h',
      'usage_input_tokens_cache_read',
    ],
    cacheReadTokens: ['usage_input_tokens_cache_read'],
    outputTokens: ['usage_output_tokens'],
  },
  {
    // https://platform.claude.com/docs/en/api/admin/cost_report: amounts are in cents. Web searches have no model.
    name: 'Anthropic costs',
    signature: ['starting_at', 'amount'],
    day: 'starting_at',
    model: ['model', 'description'],
    cost: { column: 'amount', unit: 'cents', currency: 'currency' },
  },
  {
    name: 'Anthropic costs (CSV)',
    signature: ['usage_date_utc', 'cost_usd'],
    day: 'usage_date_utc',
    model: ['model'],
    cost: { column: 'cost_usd', unit: 'dollars' },
  },
  {
    // https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity. Reasoning is part of the completion.
    name: 'OpenRouter activity',
    signature: ['date', 'usage', 'prompt_tokens'],
    day: 'date',
    model: ['model', 'slug', 'model_permaslug'],
    inputTokens: ['prompt_tokens'],
    outputTokens: ['completion_tokens'],
    cost: { column: 'usage', unit: 'dollars' },
  },
  {
    name: 'OpenRouter generations (CSV)',
    signature: ['created_at', 'cost_total', 'tokens_prompt'],
    day: 'created_at',
    model: ['model_permaslug'],
    inputTokens: ['tokens_prompt'],
    cacheReadTokens: ['tokens_cached'],
    outputTokens: ['tokens_completion'],
    cost: { column: 'cost_total', unit: 'dollars' },
  },
  {
    // https://cloud.google.com/billing/docs/how-to/export-data-bigquery-tables/standard-usage, as JSON.
    name: 'Google Cloud billing',
    signature: ['usage_start_time', 'sku.description', 'cost'],
    day: 'usage_start_time',
    model: ['sku.description'],
    modelOf: geminiOf,
    cost: { column: 'cost', unit: 'dollars', currency: 'currency' },
  },
  {
    // The same, of a query that names the column sku_description.
    name: 'Google Cloud billing (CSV)',
    signature: ['usage_start_time', 'sku_description', 'cost'],
    day: 'usage_start_time',
    model: ['sku_description'],
    modelOf: geminiOf,
    cost: { column: 'cost', unit: 'dollars', currency: 'currency' },
  },
];

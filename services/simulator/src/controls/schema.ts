import { z } from 'zod';

/** Failures with a status and the provider's error body. */
export const STATUS_FAILURES = [
  400,
  401,
  402,
  403,
  404,
  408,
  413,
  422,
  429,
  500,
  502,
  503,
  504,
  529,
  'context_length_exceeded',
  'insufficient_quota',
] as const;
export type StatusFailure = (typeof STATUS_FAILURES)[number];

/** Failures of the connection or of the response format. */
export const TRANSPORT_FAILURES = ['reset', 'stall', 'garbage', 'truncated', 'empty', 'wrong_content_type'] as const;
export type TransportFailure = (typeof TRANSPORT_FAILURES)[number];

const tokens = z.int().min(0).max(1_000_000);
const delayMs = z.int().min(0).max(600_000);
const eventCount = z.int().min(0).max(1_000_000);

const toolCall = z.strictObject({
  name: z.string().min(1).max(200),
  arguments: z.string().max(1_000_000).default('{}'),
});

/** Why a response ends, in neutral terms; each protocol uses its nearest equivalent. */
export const FINISH_CONTROLS = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'stop_sequence',
  'refusal',
  'pause',
  'context',
  'malformed_call',
  'recitation',
  'failed',
  'other',
] as const;
export type FinishControl = (typeof FINISH_CONTROLS)[number];

const citation = z.strictObject({
  url: z.string().min(1).max(2_000),
  title: z.string().max(1_000).default('Simulated source'),
  /** Position in the text, in characters; all of the text if absent. */
  start: z.int().min(0).optional(),
  end: z.int().min(0).optional(),
});
export type Citation = z.output<typeof citation>;

/** A word reported instead of the true one; null for none. */
const reportedWord = z.string().min(1).max(64).nullable();

/** Controls of one response. */
const stepSchema = z.strictObject({
  output_tokens: z.union([tokens, z.literal('max')]).optional(),
  text: z.string().max(4_000_000).optional(),
  reasoning_tokens: tokens.optional(),
  reasoning: z.string().max(1_000_000).optional(),
  reasoning_redacted: z.boolean().optional(),
  reasoning_details: z.boolean().optional(),
  cached_tokens: tokens.optional(),
  cache_write_5m_tokens: tokens.optional(),
  cache_write_1h_tokens: tokens.optional(),
  echo: z.boolean().optional(),
  refusal: z.string().min(1).max(100_000).optional(),
  prompt_blocked: z.boolean().optional(),
  citations: z.array(citation).min(1).max(100).optional(),
  tool_calls: z.array(toolCall).min(1).max(100).optional(),
  tool_call_ids: z.boolean().optional(),
  searches: z.int().min(0).max(1_000).optional(),
  fetches: z.int().min(0).max(1_000).optional(),
  tokens_per_use: tokens.optional(),
  finish_reason: z.enum(FINISH_CONTROLS).optional(),
  service_tier: reportedWord.optional(),
  speed: reportedWord.optional(),
  inference_geo: reportedWord.optional(),
  traffic_type: reportedWord.optional(),
  ignore_limit: z.boolean().optional(),
  context_window: z.int().min(0).max(1_000_000_000).optional(),

  head_delay_ms: delayMs.optional(),
  first_token_delay_ms: delayMs.optional(),
  token_delay_ms: delayMs.optional(),

  usage: z.enum(['normal', 'omit', 'late', 'zero', 'with_finish', 'cumulative']).optional(),
  usage_delay_ms: delayMs.optional(),

  fail: z.union([z.literal(STATUS_FAILURES), z.literal(TRANSPORT_FAILURES)]).optional(),
  fail_first: z.strictObject({ count: z.int().min(1).max(1_000_000), key: z.string().min(1).max(200) }).optional(),
  retry_after_s: z.int().min(0).max(86_400).optional(),

  reset_after_events: eventCount.optional(),
  stall_after_events: eventCount.optional(),
  end_after_events: eventCount.optional(),
  garbage_after_events: eventCount.optional(),
  error_after_events: eventCount.optional(),
  no_done: z.boolean().optional(),

  split_bytes: z.int().min(1).max(1_000_000).optional(),
  crlf: z.boolean().optional(),
  comments: z.boolean().optional(),
  padding_bytes: z.int().min(1).max(8_000_000).optional(),
});

export type StepControls = z.output<typeof stepSchema>;

/** Controls of the simulator. The README describes each field. */
export const controlsSchema = stepSchema.extend({
  script: z.array(stepSchema).min(1).max(100).optional(),
});

export type Controls = z.output<typeof controlsSchema>;

/** Controls of an ordinary call. */
export const NO_CONTROLS: Controls = Object.freeze({});

import { z } from 'zod';

/** Failures that are a status with a body in the provider's own shape. */
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

/** Failures of the connection or of the answer's form. */
export const TRANSPORT_FAILURES = ['reset', 'stall', 'garbage', 'truncated', 'empty', 'wrong_content_type'] as const;
export type TransportFailure = (typeof TRANSPORT_FAILURES)[number];

const tokens = z.int().min(0).max(1_000_000);
const delayMs = z.int().min(0).max(600_000);
const eventCount = z.int().min(0).max(1_000_000);

const toolCall = z.strictObject({
  name: z.string().min(1).max(200),
  arguments: z.string().max(1_000_000).default('{}'),
});

/** What a caller may ask of the simulator. The README explains each field. */
export const controlsSchema = z.strictObject({
  output_tokens: z.union([tokens, z.literal('max')]).optional(),
  text: z.string().max(4_000_000).optional(),
  reasoning_tokens: tokens.optional(),
  cached_tokens: tokens.optional(),
  tool_calls: z.array(toolCall).min(1).max(100).optional(),
  finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
  ignore_limit: z.boolean().optional(),

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

export type Controls = z.output<typeof controlsSchema>;

/** Controls of a call that asks for nothing. */
export const NO_CONTROLS: Controls = Object.freeze({});

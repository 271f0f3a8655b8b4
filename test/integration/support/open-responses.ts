import { z } from 'zod';

/**
 * The objects of the Open Responses specification of 2026-04-24, as its compliance cases check them:
 * https://www.openresponses.org/openapi/2026-04-24/openapi.json
 */

const count = z.int().min(0);
const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);

const textPart = z.looseObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.looseObject({ type: z.string() })),
  logprobs: z.array(z.looseObject({})).optional(),
});
const part = z.discriminatedUnion('type', [
  textPart,
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('reasoning_text'), text: z.string() }),
  z.looseObject({ type: z.literal('summary_text'), text: z.string() }),
]);

const item = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message'),
    id: z.string().min(1),
    status: itemStatus,
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
    content: z.array(part),
  }),
  z.looseObject({
    type: z.literal('function_call'),
    id: z.string().min(1),
    call_id: z.string().min(1),
    name: z.string().min(1),
    arguments: z.string(),
    status: itemStatus,
  }),
  z.looseObject({
    type: z.literal('reasoning'),
    id: z.string().min(1),
    summary: z.array(part),
    content: z.array(part).nullish(),
    encrypted_content: z.string().nullish(),
  }),
  z.looseObject({ type: z.literal('compaction'), id: z.string().min(1), encrypted_content: z.string() }),
]);

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count }),
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
});

const tool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.looseObject({}).nullable(),
  strict: z.boolean().nullable(),
});

/** A response. Fields that may be null must be there all the same. */
export const responseResource = z.looseObject({
  id: z.string().min(1),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed']),
  incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(tool),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })]),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.looseObject({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  user: z.string().nullable(),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

export const compactResource = z.looseObject({
  id: z.string().min(1),
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(item).min(1),
  usage,
});

const sequence_number = z.int().min(0);
const output_index = z.int().min(0);
const content_index = z.int().min(0);
const item_id = z.string().min(1);
const inPart = { sequence_number, item_id, output_index, content_index };

function withResponse(type: string) {
  return z.looseObject({ type: z.literal(type), sequence_number, response: responseResource });
}

/** An item that is not complete may lack what it will have. */
const openItem = z.looseObject({ type: z.string(), id: item_id });

/** An event of a stream, over HTTP or a WebSocket. */
export const streamEvent = z.discriminatedUnion('type', [
  withResponse('response.created'),
  withResponse('response.in_progress'),
  withResponse('response.completed'),
  withResponse('response.incomplete'),
  withResponse('response.failed'),
  z.looseObject({ type: z.literal('response.output_item.added'), sequence_number, output_index, item: openItem }),
  z.looseObject({ type: z.literal('response.output_item.done'), sequence_number, output_index, item }),
  z.looseObject({ type: z.literal('response.content_part.added'), ...inPart, part }),
  z.looseObject({ type: z.literal('response.content_part.done'), ...inPart, part }),
  z.looseObject({ type: z.literal('response.output_text.delta'), ...inPart, delta: z.string() }),
  z.looseObject({ type: z.literal('response.output_text.done'), ...inPart, text: z.string() }),
  z.looseObject({
    type: z.literal('response.function_call_arguments.delta'),
    sequence_number,
    item_id,
    output_index,
    delta: z.string(),
  }),
  z.looseObject({
    type: z.literal('response.function_call_arguments.done'),
    sequence_number,
    item_id,
    output_index,
    arguments: z.string(),
  }),
]);

/** The error event of a WebSocket. */
export const socketError = z.looseObject({
  type: z.literal('error'),
  status: z.int(),
  error: z.looseObject({ code: z.string(), message: z.string(), param: z.string().nullish() }),
});

import { z } from 'zod';
import { anyObject, fields } from '../validation/fields.ts';
import { base64, fileDataUrl, imageUrl, toolName, userId, within } from '../validation/values.ts';

/**
 * https://platform.openai.com/docs/api-reference/chat/create
 *
 * OpenAI rejects unknown fields of messages (https://github.com/openai/openai-node/issues/1161) and of their content parts
 * (https://github.com/pydantic/pydantic-ai/blob/v0.1.0/pydantic_ai_slim/pydantic_ai/models/openai.py#L441), other strict
 * providers too.
 */

const breakpoint = fields({ mode: z.literal('explicit'), ttl: z.enum(['30m', '12h']).optional() }).optional();

const textPart = fields({ type: z.literal('text'), text: z.string(), prompt_cache_breakpoint: breakpoint });
const refusalPart = fields({ type: z.literal('refusal'), refusal: z.string() });
/** Reasoning in the content, as Mistral's models write it. */
const thinkingPart = fields({
  type: z.literal('thinking'),
  thinking: z.array(fields({ type: z.literal('text'), text: z.string() })),
});
const imagePart = fields({
  type: z.literal('image_url'),
  image_url: fields({ url: imageUrl, detail: z.enum(['auto', 'low', 'high', 'original']).nullish() }),
  prompt_cache_breakpoint: breakpoint,
});
const audioPart = fields({
  type: z.literal('input_audio'),
  input_audio: fields({ data: base64, format: z.enum(['wav', 'mp3']) }),
  prompt_cache_breakpoint: breakpoint,
});
const filePart = fields({
  type: z.literal('file'),
  file: fields({
    file_data: fileDataUrl.optional(),
    file_id: z.string().optional(),
    filename: z.string().min(1).optional(),
  }),
  prompt_cache_breakpoint: breakpoint,
});

const texts = z.union([z.string(), z.array(textPart).min(1)]);
const name = z.string().min(1).max(64).nullish();

/** The format of providers that sign reasoning at their tool calls; OpenAI has none. */
const extraContent = fields({ google: fields({ thought_signature: z.string() }) }).optional();

const toolCall = z.discriminatedUnion('type', [
  fields({
    type: z.literal('function'),
    id: z.string().min(1).max(40),
    function: fields({ name: toolName, arguments: z.string() }),
    extra_content: extraContent,
  }),
  fields({
    type: z.literal('custom'),
    id: z.string().min(1).max(40),
    custom: fields({ name: toolName, input: z.string() }),
    extra_content: extraContent,
  }),
]);

/** The format of providers that return reasoning; OpenAI does not. */
const reasoningDetail = fields({
  type: z.enum(['reasoning.text', 'reasoning.summary', 'reasoning.encrypted']),
  text: z.string().nullish(),
  summary: z.string().nullish(),
  data: z.string().nullish(),
  signature: z.string().nullish(),
  id: z.string().nullish(),
  format: z.string().nullish(),
  index: z.int().nullish(),
});

const message = z.discriminatedUnion('role', [
  fields({ role: z.literal('system'), content: texts, name }),
  fields({ role: z.literal('developer'), content: texts, name }),
  fields({
    role: z.literal('user'),
    content: z.union([
      z.string(),
      z.array(z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])).min(1),
    ]),
    name,
  }),
  fields({
    role: z.literal('assistant'),
    content: z
      .union([
        z.string(),
        z.array(z.discriminatedUnion('type', [textPart, refusalPart, thinkingPart])).min(1),
        z.null(),
      ])
      .optional(),
    refusal: z.string().nullish(),
    name,
    tool_calls: z.array(toolCall).min(1).max(128).nullish(),
    annotations: z.array(anyObject).nullish(),
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish(),
    reasoning_details: z.array(reasoningDetail).nullish(),
    // Only of Mistral's form.
    prefix: z.boolean().optional(),
  }),
  // OpenAI's own examples (its cookbook, How_to_call_functions_with_chat_models) send the function's name too.
  fields({ role: z.literal('tool'), content: texts, tool_call_id: z.string().min(1), name: z.string().optional() }),
]);

const functionTool = fields({
  type: z.literal('function'),
  function: fields({
    name: toolName,
    description: z.string().nullish(),
    parameters: anyObject.nullish(),
    strict: z.boolean().nullish(),
  }),
});
const customTool = fields({
  type: z.literal('custom'),
  custom: fields({ name: toolName, description: z.string().optional(), format: anyObject.optional() }),
});

const toolReference = z.discriminatedUnion('type', [
  fields({ type: z.literal('function'), function: fields({ name: z.string() }) }),
  fields({ type: z.literal('custom'), custom: fields({ name: z.string() }) }),
]);
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    fields({ type: z.literal('function'), function: fields({ name: z.string() }) }),
    fields({ type: z.literal('custom'), custom: fields({ name: z.string() }) }),
    fields({
      type: z.literal('allowed_tools'),
      allowed_tools: fields({ mode: z.enum(['auto', 'required']), tools: z.array(toolReference).min(1) }),
    }),
  ]),
]);

const responseFormat = z.discriminatedUnion('type', [
  fields({ type: z.literal('text') }),
  fields({ type: z.literal('json_object') }),
  fields({
    type: z.literal('json_schema'),
    json_schema: fields({
      name: toolName,
      description: z.string().nullish(),
      schema: anyObject.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const limit = z.int().min(1).max(1_000_000).nullish();

/** https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat */
const webSearchOptions = fields({
  search_context_size: z.enum(['low', 'medium', 'high']).optional(),
  user_location: fields({
    type: z.literal('approximate'),
    approximate: fields({
      city: z.string().optional(),
      country: z.string().optional(),
      region: z.string().optional(),
      timezone: z.string().optional(),
    }),
  }).nullish(),
});

/** A body of POST /v1/chat/completions. */
export const chatSchema = fields({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: fields({
    include_usage: z.boolean().nullish(),
    include_obfuscation: z.boolean().nullish(),
  }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: limit,
  max_completion_tokens: limit,
  temperature: within(0, 2).nullish(),
  top_p: within(0, 1).nullish(),
  presence_penalty: within(-2, 2).nullish(),
  frequency_penalty: within(-2, 2).nullish(),
  logit_bias: z.record(z.string(), within(-100, 100)).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  seed: z.number().nullish(),
  random_seed: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(4)]).nullish(),
  tools: z
    .array(z.discriminatedUnion('type', [functionTool, customTool]))
    .min(1)
    .max(128)
    .nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  // The fields in which other providers are told to think: see check-dialect.ts.
  thinking: fields({ type: z.enum(['enabled', 'disabled']) }).nullish(),
  reasoning: fields({
    effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
    max_tokens: z.int().min(1).optional(),
    enabled: z.boolean().optional(),
  }).nullish(),
  enable_thinking: z.boolean().nullish(),
  thinking_budget: z.int().min(0).nullish(),
  chat_template_kwargs: anyObject.nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  user: userId,
  safety_identifier: userId,
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  store: z.boolean().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  modalities: z.array(z.literal('text')).min(1).nullish(),
  prediction: fields({ type: z.literal('content'), content: texts }).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  prompt_cache_options: anyObject.optional(),
  web_search_options: webSearchOptions.nullish(),
  simulate: z.unknown().optional(),
});

export type ChatBody = z.output<typeof chatSchema>;
export type ChatMessage = ChatBody['messages'][number];

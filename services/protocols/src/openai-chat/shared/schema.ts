import { z } from 'zod';

/** Ids from a provider's responses, such as a tool call's, which clients return in the next turn. */
const id = z.string().min(1);

/** OpenAI's rule for names of functions and formats. */
const name = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be 1 to 128 letters, digits, underscores, dashes, dots or colons');

const number = (min: number, max: number) => z.number().min(min).max(max).nullish();
const tokens = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullish();
const anyObject = z.looseObject({});

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string().min(1), detail: z.string().nullish() }),
});
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }),
});
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
});

const textParts = z.array(textPart).min(1);
const userParts = z.array(z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])).min(1);
/** As Mistral's models return it. */
const thinkingPart = z.looseObject({ type: z.literal('thinking') });
const assistantParts = z.array(z.discriminatedUnion('type', [textPart, refusalPart, thinkingPart]));

const toolCall = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('function'),
    id,
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
  z.looseObject({ type: z.literal('custom'), id, custom: z.looseObject({ name: z.string(), input: z.string() }) }),
]);

const text = z.union([z.string(), textParts]);

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: text, name: z.string().nullish() }),
  z.looseObject({ role: z.literal('developer'), content: text, name: z.string().nullish() }),
  z.looseObject({ role: z.literal('user'), content: z.union([z.string(), userParts]), name: z.string().nullish() }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), assistantParts, z.null()]).optional(),
    name: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
    function_call: z.looseObject({ name: z.string(), arguments: z.string() }).nullish(),
    audio: z.looseObject({ id: z.string().nullish() }).nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), content: z.union([z.string(), userParts]), tool_call_id: id }),
  z.looseObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
]);

const functionDefinition = z.looseObject({
  name,
  description: z.string().nullish(),
  parameters: anyObject.nullish(),
  strict: z.boolean().nullish(),
});

/** Tools that a provider runs itself have another `type`; the policies decide on them. */
const tool = z.looseObject({
  type: z.string(),
  function: functionDefinition.optional(),
  custom: z.looseObject({ name, description: z.string().nullish(), format: anyObject.nullish() }).optional(),
});

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({
    type: z.string(),
    function: z.looseObject({ name: z.string() }).optional(),
    custom: z.looseObject({ name: z.string() }).optional(),
    allowed_tools: z.looseObject({ mode: z.enum(['auto', 'required']), tools: z.array(anyObject) }).optional(),
  }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name,
      description: z.string().nullish(),
      schema: anyObject.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

/**
 * A chat completions request. Known fields have their documented types and the ranges that hold for every model; what
 * only some models take (values of `reasoning_effort`, say) is left to them. Unknown fields are allowed and kept.
 */
export const requestSchema = z.looseObject({
  model: z.string().min(1).max(500),
  messages: z.array(message).min(1),
  audio: anyObject.nullish(),
  frequency_penalty: number(-2, 2),
  function_call: z.union([z.enum(['none', 'auto']), z.looseObject({ name: z.string() })]).nullish(),
  functions: z.array(functionDefinition).nullish(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  logprobs: z.boolean().nullish(),
  max_completion_tokens: tokens,
  max_tokens: tokens,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  modalities: z.array(z.string()).nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  prediction: z.looseObject({ type: z.literal('content'), content: text }).nullish(),
  presence_penalty: number(-2, 2),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: anyObject.nullish(),
  prompt_cache_retention: z.string().nullish(),
  reasoning_effort: z.string().nullish(),
  response_format: responseFormat.nullish(),
  safety_identifier: z.string().nullish(),
  /** Mistral's name of `seed`. */
  random_seed: z.number().int().nullish(),
  seed: z.number().int().nullish(),
  service_tier: z.string().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
  temperature: number(0, 2),
  tool_choice: toolChoice.nullish(),
  tools: z.array(tool).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  top_p: number(0, 1),
  user: z.string().nullish(),
  verbosity: z.string().nullish(),
  web_search_options: anyObject.nullish(),
});

export type ChatRequest = z.output<typeof requestSchema>;
export type ChatMessage = ChatRequest['messages'][number];

import { z } from 'zod';

/** Ids from a provider's responses, such as a tool call's, which clients return in the next turn. */
const id = z.string().min(1);

/** OpenAI's rule for names of functions and formats. */
const name = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be 1 to 128 letters, digits, underscores, dashes, dots or colons');

const number = (min: number, max: number) => z.number().min(min).max(max).nullish();
const wholeNumber = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullish();
const anyObject = z.looseObject({});

const inputText = z.looseObject({ type: z.literal('input_text'), text: z.string() });
const inputImage = z.looseObject({
  type: z.literal('input_image'),
  image_url: z.string().nullish(),
  file_id: z.string().nullish(),
  detail: z.string().nullish(),
});
const inputFile = z.looseObject({
  type: z.literal('input_file'),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  file_id: z.string().nullish(),
  filename: z.string().nullish(),
});
/** Not in OpenAI's list of input parts, though its SDK has the type: some upstreams accept it. */
const inputAudio = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }),
});
const outputText = z.looseObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(anyObject).nullish(),
});
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });

export const contentPartSchema = z.discriminatedUnion('type', [
  inputText,
  inputImage,
  inputFile,
  inputAudio,
  outputText,
  refusal,
]);

/** Of a tool that another agent of the client's runs. */
const encryptedContent = z.looseObject({ type: z.literal('encrypted_content'), encrypted_content: z.string() });

const toolOutput = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [inputText, inputImage, inputFile, inputAudio, outputText, encryptedContent])),
]);

/** The items of `input` that are known here, by their `type`. */
export const itemSchemas = {
  message: z.looseObject({
    type: z.literal('message').nullish(),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.union([z.string(), z.array(contentPartSchema)]),
  }),
  function_call: z.looseObject({
    type: z.literal('function_call'),
    call_id: id,
    name: z.string().min(1),
    arguments: z.string(),
    namespace: z.string().nullish(),
  }),
  function_call_output: z.looseObject({
    type: z.literal('function_call_output'),
    call_id: id,
    output: toolOutput,
  }),
  custom_tool_call: z.looseObject({
    type: z.literal('custom_tool_call'),
    call_id: id,
    name: z.string().min(1),
    input: z.string(),
    namespace: z.string().nullish(),
  }),
  custom_tool_call_output: z.looseObject({
    type: z.literal('custom_tool_call_output'),
    call_id: id,
    output: toolOutput,
  }),
  reasoning: z.looseObject({
    type: z.literal('reasoning'),
    summary: z.array(z.looseObject({ type: z.string(), text: z.string() })).nullish(),
    content: z.array(z.looseObject({ type: z.string(), text: z.string() })).nullish(),
    encrypted_content: z.string().nullish(),
  }),
} as const;

/** A tool of the client or the provider. */
const tool = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  parameters: anyObject.nullish(),
  strict: z.boolean().nullish(),
  format: anyObject.nullish(),
  defer_loading: z.boolean().nullish(),
});

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({
    type: z.string(),
    name: z.string().nullish(),
    mode: z.enum(['auto', 'required']).nullish(),
    tools: z.array(z.looseObject({ type: z.string(), name: z.string().nullish() })).nullish(),
  }),
]);

const textFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name,
    schema: anyObject,
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
]);

/**
 * A request to create a response. Known fields have their documented types and the ranges that hold for every model;
 * what only some models take (values of `reasoning.effort`, say) is left to them. Unknown fields are allowed and kept.
 * The items of `input` are checked one by one with the schemas above.
 */
export const requestSchema = z.looseObject({
  model: z.string().min(1).max(500),
  input: z.union([z.string(), z.array(anyObject)]).nullish(),
  access_programs: anyObject.nullish(),
  background: z.boolean().nullish(),
  context_management: z.array(anyObject).nullish(),
  conversation: z.union([z.string(), anyObject]).nullish(),
  frequency_penalty: number(-2, 2),
  image: anyObject.nullish(),
  include: z.array(z.string()).nullish(),
  instructions: z.string().nullish(),
  max_output_tokens: wholeNumber,
  max_tool_calls: wholeNumber,
  metadata: z.record(z.string(), z.string()).nullish(),
  moderation: anyObject.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  presence_penalty: number(-2, 2),
  previous_response_id: z.string().nullish(),
  prompt: anyObject.nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: anyObject.nullish(),
  prompt_cache_retention: z.string().nullish(),
  reasoning: z
    .looseObject({
      effort: z.string().nullish(),
      summary: z.string().nullish(),
      generate_summary: z.string().nullish(),
      context: z.string().nullish(),
      mode: z.string().nullish(),
    })
    .nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.string().nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  temperature: number(0, 2),
  text: z
    .looseObject({ format: textFormat.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .nullish(),
  tool_choice: toolChoice.nullish(),
  tools: z.array(tool).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  top_p: number(0, 1),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().nullish(),
});

export type ResponsesRequest = z.output<typeof requestSchema>;
export type ResponsesTool = z.output<typeof tool>;
export type ContentPart = z.output<typeof contentPartSchema>;
export type EncryptedPart = z.output<typeof encryptedContent>;
export type ToolOutput = z.output<typeof toolOutput>;

type ItemSchemas = typeof itemSchemas;
export type ItemKind = keyof ItemSchemas;
export type ItemOf<K extends ItemKind> = z.output<ItemSchemas[K]>;

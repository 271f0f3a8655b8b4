import { z } from 'zod';
import { anyObject, fields, isObject } from '../validation/fields.ts';
import { fileDataUrl, imageUrl, toolName, userId, webUrl, within } from '../validation/values.ts';
import { WEB_SEARCH_TYPES, webSearchCall, webSearchPreviewTool, webSearchTool } from './web-schema.ts';

/** https://platform.openai.com/docs/api-reference/responses/create */

const breakpoint = fields({ mode: z.literal('explicit'), ttl: z.enum(['30m', '12h']).optional() }).nullish();
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
const phase = z.enum(['commentary', 'final_answer']).nullish();

/** Prefixes of item ids, by kind. Results have that of their call, also with an `o` after it. */
function itemId(prefix: string, optional = '') {
  return z.string().regex(new RegExp(`^${prefix}${optional}_`), `Expected an ID that begins with '${prefix}'`);
}

const inputText = fields({ type: z.literal('input_text'), text: z.string(), prompt_cache_breakpoint: breakpoint });
const inputImage = fields({
  type: z.literal('input_image'),
  image_url: imageUrl.nullish(),
  file_id: z.string().nullish(),
  detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
  prompt_cache_breakpoint: breakpoint,
});
const inputFile = fields({
  type: z.literal('input_file'),
  file_data: fileDataUrl.nullish(),
  file_url: webUrl.nullish(),
  file_id: z.string().nullish(),
  filename: z.string().min(1).nullish(),
  detail: z.enum(['auto', 'low', 'high']).optional(),
  prompt_cache_breakpoint: breakpoint,
});
const outputText = fields({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(anyObject).optional(),
  logprobs: z.array(anyObject).nullish(),
});
const refusal = fields({ type: z.literal('refusal'), refusal: z.string() });

const inputContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [inputText, inputImage, inputFile])).min(1),
]);
const message = { type: z.literal('message'), id: itemId('msg').optional(), status, phase };
const caller = anyObject.nullish();
const callId = z.string().min(1).max(64);

const functionTool = fields({
  type: z.literal('function'),
  name: toolName,
  description: z.string().nullish(),
  parameters: anyObject.nullish(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
});
const customTool = fields({
  type: z.literal('custom'),
  name: toolName,
  description: z.string().optional(),
  format: anyObject.optional(),
});
/** https://developers.openai.com/api/docs/guides/function-calling#defining-namespaces */
const namespaceTool = fields({
  type: z.literal('namespace'),
  name: toolName,
  description: z.string(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])).min(1),
});
/** https://developers.openai.com/api/docs/guides/tools-tool-search; the simulated model never uses the provider's form. */
const execution = z.enum(['server', 'client']).optional();
const searchTool = fields({
  type: z.literal('tool_search'),
  execution,
  description: z.string().nullish(),
  parameters: anyObject.nullish(),
});
const localShell = fields({ type: z.literal('local_shell') });
/** Other tools that the provider runs. */
const providerTool = z.looseObject({
  type: z.enum(['file_search', 'code_interpreter', 'image_generation', 'mcp']),
});
const tool = z.discriminatedUnion('type', [
  functionTool,
  customTool,
  namespaceTool,
  searchTool,
  localShell,
  webSearchTool,
  webSearchPreviewTool,
  providerTool,
]);

const item = z.discriminatedUnion('type', [
  z.discriminatedUnion('role', [
    fields({ ...message, role: z.literal('user'), content: inputContent }),
    fields({ ...message, role: z.literal('system'), content: inputContent }),
    fields({ ...message, role: z.literal('developer'), content: inputContent }),
    fields({
      ...message,
      role: z.literal('assistant'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [outputText, refusal]))]),
    }),
  ]),
  fields({
    type: z.literal('function_call'),
    id: itemId('fc').optional(),
    call_id: callId,
    name: toolName,
    arguments: z.string(),
    status,
    caller,
    namespace: z.string().optional(),
    async: z.boolean().optional(),
  }),
  fields({
    type: z.literal('function_call_output'),
    id: itemId('fc', 'o?').nullish(),
    call_id: callId,
    output: inputContent,
    status,
    caller,
    name: z.string().nullish(),
  }),
  fields({
    type: z.literal('custom_tool_call'),
    id: itemId('ctc').optional(),
    call_id: callId,
    name: toolName,
    input: z.string(),
    status,
    caller,
    namespace: z.string().optional(),
  }),
  fields({
    type: z.literal('custom_tool_call_output'),
    id: itemId('ctc', 'o?').optional(),
    call_id: callId,
    output: inputContent,
    status,
    caller,
  }),
  fields({
    type: z.literal('reasoning'),
    id: itemId('rs').optional(),
    summary: z.array(fields({ type: z.literal('summary_text'), text: z.string() })),
    content: z.array(fields({ type: z.literal('reasoning_text'), text: z.string() })).nullish(),
    encrypted_content: z.string().nullish(),
    status,
  }),
  fields({
    type: z.literal('additional_tools'),
    id: itemId('at').nullish(),
    role: z.literal('developer'),
    tools: z.array(tool),
  }),
  fields({
    type: z.literal('tool_search_call'),
    id: itemId('tsc').nullish(),
    call_id: callId.nullish(),
    execution,
    arguments: z.unknown(),
    status,
  }),
  fields({
    type: z.literal('tool_search_output'),
    id: itemId('tso').nullish(),
    call_id: callId.nullish(),
    execution,
    tools: z.array(tool),
    status,
  }),
  fields({
    type: z.literal('local_shell_call'),
    id: itemId('lsh').nullish(),
    call_id: callId,
    action: z.looseObject({ type: z.literal('exec'), command: z.array(z.string()), env: anyObject }),
    status,
  }),
  fields({
    type: z.literal('local_shell_call_output'),
    id: z.string().nullish(),
    call_id: callId,
    output: z.string(),
    status,
  }),
  webSearchCall,
  fields({ type: z.literal('compaction'), id: itemId('cmp').nullish(), encrypted_content: z.string() }),
  fields({ type: z.literal('item_reference'), id: z.string() }),
]);

const webChoice = fields({ type: z.enum(WEB_SEARCH_TYPES) });
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    fields({ type: z.literal('function'), name: z.string() }),
    fields({ type: z.literal('custom'), name: z.string() }),
    webChoice,
    fields({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z
        .array(
          z.discriminatedUnion('type', [fields({ type: z.enum(['function', 'custom']), name: z.string() }), webChoice]),
        )
        .min(1),
    }),
  ]),
]);

const format = z.discriminatedUnion('type', [
  fields({ type: z.literal('text') }),
  fields({ type: z.literal('json_object') }),
  fields({
    type: z.literal('json_schema'),
    name: toolName,
    schema: anyObject,
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
]);

const shared = {
  input: z.union([z.string(), z.array(z.preprocess(withType, item))]).nullish(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), fields({ id: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: fields({
    effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
    summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    context: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
  }).nullish(),
  text: fields({ format: format.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() }).nullish(),
  tool_choice: toolChoice.nullish(),
  tools: z.array(tool).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  simulate: z.unknown().optional(),
};

const INCLUDES = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const;

/** A body of POST /v1/responses. */
export const responsesSchema = fields({
  ...shared,
  model: z.string().min(1),
  background: z.boolean().nullish(),
  // Sent by Codex; not in the public reference.
  client_metadata: z.record(z.string(), z.string()).nullish(),
  include: z.array(z.enum(INCLUDES)).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  prompt: anyObject.nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  prompt_cache_options: anyObject.optional(),
  safety_identifier: userId,
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: fields({ include_obfuscation: z.boolean().nullish() }).nullish(),
  temperature: within(0, 2).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: within(0, 1).nullish(),
  user: userId,
});

/** A body of POST /v1/responses/input_tokens. */
export const countSchema = fields({ ...shared, model: z.string().min(1).nullish() });

/**
 * A body of POST /v1/responses/compact: https://platform.openai.com/docs/api-reference/responses/compact
 */
export const compactSchema = fields({
  model: z.string().min(1),
  input: shared.input,
  instructions: shared.instructions,
  previous_response_id: shared.previous_response_id,
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  prompt_cache_options: anyObject.nullish(),
  service_tier: z.enum(['auto', 'default', 'fast', 'flex', 'priority']).nullish(),
  image: anyObject.nullish(),
  simulate: shared.simulate,
});

export type CompactBody = z.output<typeof compactSchema>;
export type ResponsesBody = z.output<typeof responsesSchema>;
export type CountBody = z.output<typeof countSchema>;
export type InputItem = Exclude<NonNullable<CountBody['input']>, string>[number];
export type InputTool = NonNullable<CountBody['tools']>[number];

/** An item without a type is a message, or a reference if it has only an id. */
function withType(value: unknown): unknown {
  if (!isObject(value) || value['type'] != null) return value;
  if ('role' in value) return { ...value, type: 'message' };
  return 'id' in value ? { ...value, type: 'item_reference' } : value;
}

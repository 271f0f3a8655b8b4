import { z } from 'zod';
import { block, cacheControlField, instructionBlock, textBlock } from './block-schema.ts';

/** Anthropic's maximum number of messages in a request. */
const MAX_MESSAGES = 100_000;

const anyObject = z.looseObject({});

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(block)]) }),
  z.looseObject({ role: z.literal('assistant'), content: z.union([z.string(), z.array(block)]) }),
  z.looseObject({
    role: z.literal('system'),
    content: z.union([z.string(), z.array(instructionBlock)]).nullish(),
    clear_at: z.string().nullish(),
    output_config: anyObject.nullish(),
  }),
]);

const inputSchema = z.looseObject({ type: z.literal('object') });

/**
 * A tool. The client describes tools without a type or of type `custom`; Anthropic defines the others, which the policies
 * decide on.
 */
export const toolSchema = z.looseObject({
  type: z.string().nullish(),
  name: z.string().min(1).max(128).nullish(),
  description: z.string().nullish(),
  input_schema: inputSchema.nullish(),
  strict: z.boolean().nullish(),
  cache_control: cacheControlField,
  defer_loading: z.boolean().nullish(),
  allowed_callers: z.array(z.string()).nullish(),
  max_uses: z.int().min(1).nullish(),
});

const noParallel = { disable_parallel_tool_use: z.boolean().nullish() };

const toolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), ...noParallel }),
  z.looseObject({ type: z.literal('any'), ...noParallel }),
  z.looseObject({ type: z.literal('tool'), name: z.string().min(1), ...noParallel }),
  z.looseObject({ type: z.literal('none') }),
]);

/** Anthropic's minimum thinking budget. */
export const MIN_THINKING_TOKENS = 1_024;

const display = { display: z.string().nullish() };

const thinking = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('enabled'), budget_tokens: z.number().int().min(MIN_THINKING_TOKENS), ...display }),
  z.looseObject({ type: z.literal('adaptive'), ...display }),
  z.looseObject({ type: z.literal('between_tools') }),
  z.looseObject({ type: z.literal('disabled') }),
]);

const jsonFormat = z.looseObject({ type: z.literal('json_schema'), schema: anyObject });

/** The members of a request that its counting call has too. */
const common = {
  model: z.string().min(1).max(500),
  messages: z.array(message).min(1).max(MAX_MESSAGES),
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish(),
  output_config: z.looseObject({ effort: z.string().nullish(), format: jsonFormat.nullish() }).nullish(),
  output_format: jsonFormat.nullish(),
  cache_control: cacheControlField,
  context_management: z.looseObject({ edits: z.array(z.looseObject({ type: z.string() })).nullish() }).nullish(),
  mcp_servers: z.array(anyObject).nullish(),
  speed: z.string().nullish(),
  stream: z.boolean().nullish(),
};

const generation = {
  ...common,
  container: z.union([z.string(), anyObject]).nullish(),
  diagnostics: z.looseObject({ previous_message_id: z.string().nullish() }).nullish(),
  inference_geo: z.string().nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  service_tier: z.string().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_k: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
};

/** 0 only fills the provider's cache. */
const maxTokens = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/**
 * A request of the messages protocol. Known fields have their documented types and the ranges that hold for every model;
 * what only some models take (values of `output_config.effort`, say) is left to them. Unknown fields are allowed and kept.
 */
export const requestSchema = z.looseObject({ ...generation, max_tokens: maxTokens });

/** The same for counting its tokens, where nothing is generated and so no limit is needed. */
export const countRequestSchema = z.looseObject({ ...generation, max_tokens: maxTokens.nullish() });

/** A request of either kind. */
export type MessagesRequest = z.output<typeof countRequestSchema>;
export type InputMessage = MessagesRequest['messages'][number];
export type InputTool = NonNullable<MessagesRequest['tools']>[number];
export type Thinking = NonNullable<MessagesRequest['thinking']>;

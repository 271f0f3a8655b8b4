import { z } from 'zod';
import { anyObject, fields } from '../validation/fields.ts';
import { base64, webUrl, within } from '../validation/values.ts';

/** https://docs.claude.com/en/api/messages */

const cache = fields({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const citations = fields({ enabled: z.boolean().optional() }).nullish();

const citation = z.discriminatedUnion('type', [
  fields({
    type: z.literal('web_search_result_location'),
    cited_text: z.string(),
    encrypted_index: z.string(),
    title: z.string().nullable(),
    url: z.string(),
  }),
  fields({
    type: z.literal('char_location'),
    cited_text: z.string(),
    document_index: z.int().min(0),
    document_title: z.string().nullable(),
    start_char_index: z.int().min(0),
    end_char_index: z.int(),
    file_id: z.null().optional(),
  }),
  fields({
    type: z.literal('page_location'),
    cited_text: z.string(),
    document_index: z.int().min(0),
    document_title: z.string().nullable(),
    start_page_number: z.int().min(1),
    end_page_number: z.int(),
    file_id: z.null().optional(),
  }),
  fields({
    type: z.literal('content_block_location'),
    cited_text: z.string(),
    document_index: z.int().min(0),
    document_title: z.string().nullable(),
    start_block_index: z.int().min(0),
    end_block_index: z.int(),
    file_id: z.null().optional(),
  }),
  fields({
    type: z.literal('search_result_location'),
    cited_text: z.string(),
    search_result_index: z.int().min(0),
    source: z.string(),
    title: z.string().nullable(),
    start_block_index: z.int().min(0),
    end_block_index: z.int(),
  }),
]);

const text = fields({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cache,
  citations: z.array(citation).nullish(),
});
const image = fields({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    fields({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: base64,
    }),
    fields({ type: z.literal('url'), url: webUrl }),
    fields({ type: z.literal('file'), file_id: z.string() }),
  ]),
  cache_control: cache,
});
const document = fields({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    fields({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    fields({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string().min(1) }),
    fields({ type: z.literal('content'), content: z.union([z.string(), z.array(text)]) }),
    fields({ type: z.literal('url'), url: webUrl }),
    fields({ type: z.literal('file'), file_id: z.string() }),
  ]),
  title: z.string().min(1).max(500).nullish(),
  context: z.string().min(1).nullish(),
  citations,
  cache_control: cache,
});
const searchResult = fields({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(text).min(1),
  citations,
  cache_control: cache,
});
/** A deferred tool that a search of the client's own has found. */
const toolReference = fields({ type: z.literal('tool_reference'), tool_name: z.string(), cache_control: cache });

const toolResult = fields({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'"),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [text, image, document, searchResult, toolReference]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: cache,
});
const toolUse = fields({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'"),
  name: z.string().min(1).max(200),
  input: anyObject,
  caller: fields({ type: z.literal('direct') }).optional(),
  cache_control: cache,
});
const thinkingBlock = fields({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const redactedBlock = fields({ type: z.literal('redacted_thinking'), data: z.string() });

const caller = z
  .discriminatedUnion('type', [
    fields({ type: z.literal('direct') }),
    fields({ type: z.literal('code_execution_20250825'), tool_id: z.string() }),
    fields({ type: z.literal('code_execution_20260120'), tool_id: z.string() }),
  ])
  .optional();
const serverToolUse = fields({
  type: z.literal('server_tool_use'),
  id: z.string().regex(/^srvtoolu_[a-zA-Z0-9_]+$/, "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"),
  name: z.enum(['web_search', 'web_fetch', 'tool_search_tool_regex', 'tool_search_tool_bm25']),
  input: anyObject,
  caller,
  cache_control: cache,
});
const webSearchResult = fields({
  type: z.literal('web_search_tool_result'),
  tool_use_id: z.string(),
  content: z.union([
    z.array(
      fields({
        type: z.literal('web_search_result'),
        title: z.string(),
        url: z.string(),
        encrypted_content: z.string(),
        page_age: z.string().nullish(),
      }),
    ),
    fields({ type: z.literal('web_search_tool_result_error'), error_code: z.string() }),
  ]),
  caller,
  cache_control: cache,
});
const webFetchResult = fields({
  type: z.literal('web_fetch_tool_result'),
  tool_use_id: z.string(),
  content: z.union([
    fields({
      type: z.literal('web_fetch_result'),
      url: z.string(),
      retrieved_at: z.string().nullish(),
      content: document,
    }),
    fields({ type: z.literal('web_fetch_tool_result_error'), error_code: z.string() }),
  ]),
  caller,
  cache_control: cache,
});

const toolSearchResult = fields({
  type: z.literal('tool_search_tool_result'),
  tool_use_id: z.string(),
  content: z.discriminatedUnion('type', [
    fields({ type: z.literal('tool_search_tool_search_result'), tool_references: z.array(toolReference) }),
    z.looseObject({ type: z.literal('tool_search_tool_result_error'), error_code: z.string() }),
  ]),
  cache_control: cache,
});

const effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish();
const message = z.discriminatedUnion('role', [
  fields({
    role: z.literal('user'),
    content: z.union([
      z.string(),
      z.array(z.discriminatedUnion('type', [text, image, document, searchResult, toolResult])),
    ]),
  }),
  fields({
    role: z.literal('assistant'),
    content: z.union([
      z.string(),
      z.array(
        z.discriminatedUnion('type', [
          text,
          thinkingBlock,
          redactedBlock,
          toolUse,
          serverToolUse,
          webSearchResult,
          webFetchResult,
          toolSearchResult,
        ]),
      ),
    ]),
  }),
  fields({
    role: z.literal('system'),
    content: z.union([z.string(), z.array(text)]),
    output_config: fields({ effort }).nullish(),
  }),
]);

const clientTool = fields({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  cache_control: cache,
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  allowed_callers: z.array(z.string()).optional(),
  input_examples: z.array(anyObject).optional(),
});
const domains = z.array(z.string().min(1)).nullish();
const webTool = {
  max_uses: z.int().min(1, 'Input should be greater than 0').nullish(),
  allowed_domains: domains,
  blocked_domains: domains,
  cache_control: cache,
  defer_loading: z.boolean().optional(),
  strict: z.boolean().optional(),
  allowed_callers: z
    .array(z.enum(['direct', 'code_execution_20250825', 'code_execution_20260120', 'code_execution_20260521']))
    .optional(),
};
const webSearchTool = fields({
  ...webTool,
  type: z.enum(['web_search_20250305', 'web_search_20260209', 'web_search_20260318']),
  name: z.literal('web_search'),
  user_location: fields({
    type: z.literal('approximate'),
    city: z.string().nullish(),
    country: z.string().nullish(),
    region: z.string().nullish(),
    timezone: z.string().nullish(),
  }).nullish(),
});
const webFetchTool = fields({
  ...webTool,
  type: z.enum(['web_fetch_20250910', 'web_fetch_20260209', 'web_fetch_20260309', 'web_fetch_20260318']),
  name: z.literal('web_fetch'),
  citations,
  max_content_tokens: z.int().min(1).nullish(),
  use_cache: z.boolean().optional(),
});
/** Other tools that the provider runs or defines, by their types; the simulated model never searches for tools. */
const providerTool = z.looseObject({
  type: z.string().regex(/^((code_execution|bash|text_editor|memory)_\d{8}|tool_search_tool_(regex|bm25)(_\d{8})?)$/),
  name: z.string(),
  cache_control: cache,
});

const parallel = z.boolean().optional();
const toolChoice = z.discriminatedUnion('type', [
  fields({ type: z.literal('auto'), disable_parallel_tool_use: parallel }),
  fields({ type: z.literal('any'), disable_parallel_tool_use: parallel }),
  fields({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use: parallel }),
  fields({ type: z.literal('none') }),
]);

const display = z.enum(['summarized', 'omitted']).nullish();
const thinking = z.discriminatedUnion('type', [
  fields({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1_024, 'Input should be greater than or equal to 1024'),
    display,
  }),
  fields({ type: z.literal('adaptive'), display }),
  fields({ type: z.literal('disabled') }),
  fields({ type: z.literal('between_tools') }),
]);

const shared = {
  model: z.string().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(text)]).optional(),
  tools: z.array(z.union([clientTool, webSearchTool, webFetchTool, providerTool])).optional(),
  tool_choice: toolChoice.optional(),
  thinking: thinking.optional(),
  output_config: fields({
    effort,
    format: fields({ type: z.literal('json_schema'), schema: anyObject }).nullish(),
    task_budget: anyObject.nullish(),
  }).optional(),
  cache_control: cache,
  context_management: anyObject.nullish(),
  speed: z.enum(['standard', 'fast']).nullish(),
  simulate: z.unknown().optional(),
};

/** A body of POST /v1/messages. */
export const messagesSchema = fields({
  ...shared,
  max_tokens: z.int().min(1),
  metadata: fields({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.enum(['global', 'us']).nullish(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  temperature: within(0, 1).optional(),
  top_k: z.int().min(0).optional(),
  top_p: within(0, 1).optional(),
});

/** A body of POST /v1/messages/count_tokens. */
export const countSchema = fields(shared);

export type MessagesBody = z.output<typeof messagesSchema>;
export type CountBody = z.output<typeof countSchema>;
export type InputMessage = MessagesBody['messages'][number];
/** A block of a message, or within a tool result. */
export type InputBlock = Exclude<InputMessage['content'], string>[number] | z.output<typeof toolReference>;
export type InputTool = NonNullable<MessagesBody['tools']>[number];

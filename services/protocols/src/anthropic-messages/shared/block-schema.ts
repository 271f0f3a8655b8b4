import { z } from 'zod';

/** Ids from a provider's responses, such as a tool call's, which clients return in the next turn. */
const id = z.string().min(1);

const cacheControl = z.looseObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() }).nullish();

const citations = z.looseObject({ enabled: z.boolean().nullish() }).nullish();

/** Members that only the provider uses are not checked. */
const wrapped = z.unknown();

const text = z.looseObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControl,
  citations: z.array(z.looseObject({ type: z.string() })).nullish(),
});

const image = z.looseObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.looseObject({ type: z.literal('url'), url: z.string().min(1) }),
    z.looseObject({ type: z.literal('file'), file_id: id }),
  ]),
  cache_control: cacheControl,
});

const document = z.looseObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.looseObject({ type: z.literal('text'), media_type: z.string(), data: z.string() }),
    z.looseObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]),
    }),
    z.looseObject({ type: z.literal('url'), url: z.string().min(1) }),
    z.looseObject({ type: z.literal('file'), file_id: id }),
  ]),
  cache_control: cacheControl,
  citations,
  context: z.string().nullish(),
  title: z.string().nullish(),
});

const searchResult = z.looseObject({
  type: z.literal('search_result'),
  content: z.array(text),
  source: z.string(),
  title: z.string(),
  cache_control: cacheControl,
  citations,
});

const toolResult = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: id,
  cache_control: cacheControl,
  content: z
    .union([
      z.string(),
      z.array(
        z.discriminatedUnion('type', [
          text,
          image,
          searchResult,
          document,
          z.looseObject({ type: z.literal('tool_reference'), tool_name: z.string() }),
          z.looseObject({ type: z.literal('browser_state') }),
        ]),
      ),
    ])
    .nullish(),
  is_error: z.boolean().nullish(),
  toolset_name: z.string().nullish(),
});

const toolUse = z.looseObject({
  type: z.literal('tool_use'),
  id,
  name: z.string().min(1),
  input: z.looseObject({}),
  cache_control: cacheControl,
  toolset_name: z.string().nullish(),
});

/** Results of provider-run tools, by the type of their block. */
const SERVER_RESULTS = [
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'advisor_tool_result',
  'mcp_tool_result',
] as const;

const serverToolUse = z.looseObject({
  type: z.enum(['server_tool_use', 'mcp_tool_use']),
  id,
  name: z.string(),
  input: wrapped,
  cache_control: cacheControl,
});

const serverToolResult = z.looseObject({
  type: z.enum(SERVER_RESULTS),
  tool_use_id: id,
  content: wrapped,
  cache_control: cacheControl,
});

const toolChange = z.looseObject({
  type: z.enum(['tool_addition', 'tool_removal']),
  tool: z.looseObject({ type: z.string() }),
  cache_control: cacheControl,
});

/** The blocks of a turn. Closed: a block of an unknown type could cost more than its bytes. */
export const block = z.discriminatedUnion('type', [
  text,
  image,
  document,
  searchResult,
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  toolUse,
  toolResult,
  serverToolUse,
  serverToolResult,
  z.looseObject({ type: z.literal('container_upload'), file_id: id, cache_control: cacheControl }),
  z.looseObject({ type: z.literal('compaction'), content: z.string().nullish(), cache_control: cacheControl }),
  toolChange,
  z.looseObject({ type: z.literal('mcp_tool_listing'), mcp_server_name: z.string(), tools: z.array(wrapped) }),
  z.looseObject({ type: z.literal('fallback') }),
]);

/** The blocks of instructions within a conversation. */
export const instructionBlock = z.discriminatedUnion('type', [text, toolChange]);

export const textBlock = text;
export const cacheControlField = cacheControl;

export type Block = z.output<typeof block>;
export type TextBlock = z.output<typeof text>;
export type ImageBlock = z.output<typeof image>;
export type DocumentBlock = z.output<typeof document>;
export type SearchResultBlock = z.output<typeof searchResult>;
export type ToolResultBlock = z.output<typeof toolResult>;
export type CacheControl = z.output<typeof cacheControl>;

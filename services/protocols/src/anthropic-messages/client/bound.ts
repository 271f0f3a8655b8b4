import { REQUEST_TO_CONTINUE } from '../../canonical/continued-turn.ts';
import { recordOr, stringOr } from '../../json/record.ts';
import {
  emptyTally,
  type ModelFacts,
  outputBound,
  type PromptTally,
  promptBound,
  promptBytes,
  promptBytesExcept,
  type RequestBound,
} from '../../request/bound.ts';
import type { Block, DocumentBlock, ToolResultBlock } from '../shared/block-schema.ts';
import type { InputMessage, MessagesRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import { isDescribedByClient } from './tool-kinds.ts';

/**
 * Tokens that Anthropic writes around tools, around each tool, and for a tool or a set of tools that it defines itself.
 * The documented numbers are smaller: at most 530 for the tools, 700 for the text editor, 245 for bash.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview#pricing
 */
const TOKENS_FOR_TOOLS = 1_024;
const TOKENS_PER_TOOL = 32;
const TOKENS_PER_DEFINED_TOOL = 2_048;
const TOKENS_PER_TOOLSET = 16_384;

/** Tokens around an output schema, and around citable documents. */
const TOKENS_FOR_FORMAT = 512;

interface Tally extends PromptTally {
  /** Bytes of a tool's definition, which a reference in a result adds to the prompt again. */
  readonly tools: ReadonlyMap<string, number>;
}

/**
 * Bounds the usage of a request. Without a tokenizer the bound of a text is its UTF-8 bytes: no byte-level tokenizer makes
 * more tokens than bytes. Everything in the request that could become part of the prompt is counted, unknown fields too. A
 * document other than text can become more tokens than its bytes, so its bound is the context window.
 */
export function boundRequest({ request }: ParsedRequest, facts: ModelFacts): RequestBound {
  const tools = new Map((request.tools ?? []).map((tool) => [tool.name ?? '', promptBytes(tool)]));
  const tally: Tally = { ...emptyTally(), tools };
  for (const message of request.messages) addMessage(tally, message);
  addRest(tally, request);
  // A turn of the user may follow a last one of the assistant.
  const isContinued = request.messages.at(-1)?.role === 'assistant';
  if (isContinued) tally.text += promptBytes(REQUEST_TO_CONTINUE);
  return {
    ...promptBound(tally, request.messages.length + (isContinued ? 1 : 0), facts),
    ...outputBound(request.max_tokens ?? undefined, facts),
    choices: 1,
    extraOutputTokens: 0,
  };
}

function addMessage(tally: Tally, message: InputMessage): void {
  const { role: _role, content, ...rest } = message;
  tally.text += promptBytes(rest);
  if (typeof content === 'string') tally.text += promptBytes(content);
  else for (const block of content ?? []) addBlock(tally, block);
}

type InnerBlock = Exclude<ToolResultBlock['content'], string | null | undefined>[number];

function addBlock(tally: Tally, block: Block | InnerBlock): void {
  switch (block.type) {
    case 'image': {
      const { source: _source, ...rest } = block;
      tally.images++;
      tally.text += promptBytes(rest);
      break;
    }
    case 'document':
      addDocument(tally, block);
      break;
    case 'tool_result': {
      const { content, ...rest } = block;
      tally.text += promptBytes(rest);
      if (Array.isArray(content)) for (const inner of content) addBlock(tally, inner);
      else tally.text += promptBytes(content ?? '');
      break;
    }
    case 'tool_reference':
      tally.text += promptBytes(block) + (tally.tools.get(block.tool_name) ?? 0);
      break;
    case 'tool_search_tool_result': {
      const { tool_references: found } = recordOr(block.content);
      tally.text += promptBytes(block);
      for (const one of Array.isArray(found) ? found : []) {
        tally.text += tally.tools.get(stringOr(recordOr(one)['tool_name'])) ?? 0;
      }
      break;
    }
    case 'web_fetch_tool_result':
      // A fetched page may be a PDF.
      tally.files ||= JSON.stringify(block.content)?.includes('application/pdf') ?? false;
      tally.text += promptBytes(block);
      break;
    default:
      tally.text += promptBytes(block);
  }
}

function addDocument(tally: Tally, block: DocumentBlock): void {
  const { source, ...rest } = block;
  tally.text += promptBytes(rest) + TOKENS_FOR_FORMAT;
  switch (source.type) {
    case 'text':
      tally.text += promptBytes(source.data);
      break;
    case 'content':
      if (typeof source.content === 'string') tally.text += promptBytes(source.content);
      else for (const inner of source.content) addBlock(tally, inner);
      break;
    case 'base64':
    case 'url':
    case 'file':
      tally.files = true;
      break;
    default:
      source satisfies never;
  }
}

/** Known fields that are not part of the prompt, or are counted separately. */
const NOT_IN_PROMPT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'cache_control',
  'diagnostics',
  'inference_geo',
  'max_tokens',
  'metadata',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'temperature',
  'thinking',
  'top_k',
  'top_p',
]);

function addRest(tally: Tally, request: MessagesRequest): void {
  tally.text += promptBytesExcept(request, NOT_IN_PROMPT);
  if (request.output_config?.format || request.output_format) tally.text += TOKENS_FOR_FORMAT;
  const tools = request.tools ?? [];
  if (tools.length === 0) return;
  tally.text += TOKENS_FOR_TOOLS;
  for (const tool of tools) {
    if (isDescribedByClient(tool)) tally.text += TOKENS_PER_TOOL;
    else tally.text += tool.type?.includes('toolset') ? TOKENS_PER_TOOLSET : TOKENS_PER_DEFINED_TOOL;
  }
}

import { type JsonRecord, recordOr } from '../../json/record.ts';
import {
  emptyTally,
  type ModelFacts,
  outputBound,
  type PromptTally,
  promptBound,
  promptBytes,
  promptBytesExcept,
  type RequestBound,
  toolOverhead,
} from '../../request/bound.ts';
import type { InputItem } from './items.ts';
import type { ParsedRequest } from './parse.ts';

/**
 * Bounds the usage of a request. Without a tokenizer the bound of a text is its UTF-8 bytes: no byte-level tokenizer
 * makes more tokens than bytes. Everything in the request that a provider could make part of the prompt is counted,
 * unknown fields too. A file can become more tokens than its bytes, so its bound is the context window.
 */
export function boundRequest({ request, items }: ParsedRequest, facts: ModelFacts): RequestBound {
  const tally = emptyTally();
  for (const item of items) addItem(tally, item);
  if (typeof request.input === 'string') tally.text += promptBytes(request.input);
  tally.text += promptBytesExcept(request, NOT_IN_PROMPT);
  const tools = request.tools?.length ?? 0;
  tally.text += toolOverhead(tools);
  const messages = Math.max(items.length, 1) + (typeof request.instructions === 'string' ? 1 : 0);
  return {
    ...promptBound(tally, messages, facts),
    ...outputBound(request.max_output_tokens ?? undefined, facts),
    choices: 1,
    extraOutputTokens: 0,
  };
}

function addItem(tally: PromptTally, { item }: InputItem): void {
  for (const [key, value] of Object.entries(item)) {
    if (key === 'type' || key === 'role') continue;
    if ((key === 'content' || key === 'output') && typeof value === 'object' && value !== null) addParts(tally, value);
    else tally.text += promptBytes(value);
  }
}

/** The parts of a message or of a tool result; the screenshot of a computer call is a single part. */
function addParts(tally: PromptTally, parts: object): void {
  for (const part of Array.isArray(parts) ? parts : [parts]) addPart(tally, recordOr(part), part);
}

function addPart(tally: PromptTally, part: JsonRecord, value: unknown): void {
  switch (part['type']) {
    case 'input_image':
    case 'computer_screenshot':
      tally.images++;
      break;
    case 'input_file':
      tally.files = true;
      break;
    case 'input_audio':
      tally.audio = true;
      tally.text += promptBytes(part['input_audio']);
      break;
    default:
      tally.text += promptBytes(value);
  }
}

/** Known fields that are not part of the prompt, or are counted separately. */
const NOT_IN_PROMPT: ReadonlySet<string> = new Set([
  'model',
  'input',
  'access_programs',
  'background',
  'context_management',
  'conversation',
  'frequency_penalty',
  'image',
  'include',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'moderation',
  'parallel_tool_calls',
  'presence_penalty',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]);

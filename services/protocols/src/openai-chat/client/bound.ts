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
import type { ChatMessage, ChatRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';

/**
 * Bounds the usage of a request. Without a tokenizer the bound of a text is its UTF-8 bytes: no byte-level tokenizer
 * makes more tokens than bytes. Everything in the request that a provider could make part of the prompt is counted,
 * unknown fields too. A file can become more tokens than its bytes, so its bound is the context window.
 */
export function boundRequest({ request, choices, outputLimit }: ParsedRequest, facts: ModelFacts): RequestBound {
  const tally = emptyTally();
  for (const message of request.messages) addMessage(tally, message);
  addRest(tally, request);
  const prediction = request.prediction?.content;
  return {
    ...promptBound(tally, request.messages.length, facts),
    ...outputBound(outputLimit, facts),
    choices,
    extraOutputTokens: prediction === undefined ? 0 : promptBytes(prediction) * choices,
  };
}

function addMessage(tally: PromptTally, message: ChatMessage): void {
  for (const [key, value] of Object.entries(message)) {
    if (key === 'role') continue;
    if (key === 'content' && Array.isArray(message.content)) {
      for (const part of message.content) addPart(tally, part);
    } else {
      tally.text += promptBytes(value);
    }
  }
}

type Part = Extract<ChatMessage['content'], readonly unknown[]>[number];

function addPart(tally: PromptTally, part: Part): void {
  switch (part.type) {
    case 'text':
      tally.text += promptBytes(part.text);
      break;
    case 'refusal':
      tally.text += promptBytes(part.refusal);
      break;
    case 'thinking':
      tally.text += promptBytes(part);
      break;
    case 'image_url':
      tally.images++;
      break;
    case 'input_audio':
      tally.audio = true;
      tally.text += part.input_audio.data.length;
      break;
    case 'file':
      tally.files = true;
      break;
    default:
      part satisfies never;
  }
}

/** Known fields that are not part of the prompt, or are counted separately. */
const NOT_IN_PROMPT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'safety_identifier',
  'random_seed',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
]);

function addRest(tally: PromptTally, request: ChatRequest): void {
  tally.text += promptBytesExcept(request, NOT_IN_PROMPT);
  const tools = (request.tools?.length ?? 0) + (request.functions?.length ?? 0);
  tally.text += toolOverhead(tools);
}

import {
  countTokens,
  TOKENS_PER_IMAGE,
  TOKENS_PER_LOW_DETAIL_IMAGE,
  TOKENS_PER_MESSAGE,
  TOKENS_PER_REQUEST,
} from '../answer/tokens.ts';
import { type ChatRequest, isFields, type Message } from './request.ts';

/** OpenAI's usage object. */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; audio_tokens: number };
  completion_tokens_details: {
    reasoning_tokens: number;
    audio_tokens: number;
    accepted_prediction_tokens: number;
    rejected_prediction_tokens: number;
  };
}

/** @param cached how many of the prompt's tokens came from a cache, at most all of them */
export function makeUsage(prompt: number, completion: number, cached: number, reasoning: number): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: Math.min(cached, prompt), audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/**
 * Counts the input: the text of every message, name, tool call and tool definition, images at a fixed size, and what a
 * provider's template adds to each message and to the request.
 */
export function countPromptTokens(request: ChatRequest): number {
  let total = TOKENS_PER_REQUEST;
  for (const message of request.messages) total += TOKENS_PER_MESSAGE + countMessage(message);
  if (request.tools.length > 0) total += countTokens(JSON.stringify(request.tools));
  return total;
}

function countMessage(message: Message): number {
  let total = countContent(message.content);
  if (typeof message.name === 'string') total += countTokens(message.name);
  if (message.tool_calls !== undefined) total += countTokens(JSON.stringify(message.tool_calls));
  return total;
}

function countContent(content: unknown): number {
  if (typeof content === 'string') return countTokens(content);
  if (!Array.isArray(content)) return 0;
  let total = 0;
  for (const part of content) {
    if (!isFields(part)) continue;
    if (typeof part['text'] === 'string') total += countTokens(part['text']);
    else if (isFields(part['image_url'])) {
      total += part['image_url']['detail'] === 'low' ? TOKENS_PER_LOW_DETAIL_IMAGE : TOKENS_PER_IMAGE;
    }
  }
  return total;
}

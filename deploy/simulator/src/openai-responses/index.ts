import { renderFailure } from '../openai-chat/errors.ts';
import type { Endpoint, Protocol } from '../protocol.ts';
import { answerInputTokens } from './input-tokens.ts';
import { answerResponses } from './responses.ts';

/** OpenAI's responses. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  keyHeaders: ['authorization'],
  find,
  renderFailure,
};

function find(method: string, path: string): Endpoint | undefined {
  if (method !== 'POST') return undefined;
  if (path === '/v1/responses') return answerResponses;
  return path === '/v1/responses/input_tokens' ? answerInputTokens : undefined;
}

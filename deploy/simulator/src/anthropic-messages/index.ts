import type { Endpoint, Protocol } from '../protocol.ts';
import { answerCountTokens } from './count-tokens.ts';
import { renderFailure } from './errors.ts';
import { answerMessages } from './messages.ts';

/** Anthropic's messages. https://docs.claude.com/en/api/messages */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  keyHeaders: ['x-api-key', 'authorization'],
  find,
  renderFailure,
};

function find(method: string, path: string): Endpoint | undefined {
  if (method !== 'POST') return undefined;
  if (path === '/v1/messages') return answerMessages;
  return path === '/v1/messages/count_tokens' ? answerCountTokens : undefined;
}

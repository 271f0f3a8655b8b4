import type { Endpoint, Protocol } from '../protocol.ts';
import { answerChatCompletions } from './chat-completions.ts';
import { renderFailure } from './errors.ts';
import { answerModels } from './models.ts';

/** OpenAI's chat completions. https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: Protocol = { name: 'openai-chat', keyHeaders: ['authorization'], find, renderFailure };

function find(method: string, path: string): Endpoint | undefined {
  if (method === 'POST' && path === '/v1/chat/completions') return answerChatCompletions;
  if (method === 'GET' && (path === '/v1/models' || path.startsWith('/v1/models/'))) return answerModels;
  return undefined;
}

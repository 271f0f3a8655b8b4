import { renderFailure as renderOpenaiFailure } from '../openai-chat/errors.ts';
import type { Endpoint, Protocol } from '../protocol.ts';
import { answerBatchEmbedContents, answerEmbedContent } from './gemini.ts';
import { renderFailure as renderGeminiFailure } from './gemini-errors.ts';
import { answerEmbeddings } from './openai.ts';

/** OpenAI's embeddings. */
export const openaiEmbeddings: Protocol = {
  name: 'openai-embeddings',
  keyHeaders: ['authorization'],
  find: (method, path) => (method === 'POST' && path === '/v1/embeddings' ? answerEmbeddings : undefined),
  renderFailure: renderOpenaiFailure,
};

/** Google's embeddings. */
export const geminiEmbeddings: Protocol = {
  name: 'gemini-embeddings',
  keyHeaders: ['x-goog-api-key'],
  find: findGemini,
  renderFailure: renderGeminiFailure,
};

function findGemini(method: string, path: string): Endpoint | undefined {
  if (method !== 'POST' || !path.startsWith('/v1beta/models/')) return undefined;
  if (path.endsWith(':embedContent')) return answerEmbedContent;
  return path.endsWith(':batchEmbedContents') ? answerBatchEmbedContents : undefined;
}

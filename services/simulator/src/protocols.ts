import { renderFailure as renderAnthropicFailure } from './anthropic-messages/errors.ts';
import { renderFailure as renderGeminiEmbeddingFailure } from './embeddings/gemini-errors.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { Handler, Protocol } from './exchange/protocol.ts';
import { renderFailure as renderGeminiFailure } from './gemini/errors.ts';
import { handleChatCompletions } from './handlers/chat-completions.ts';
import { handleCompact } from './handlers/compact.ts';
import { handleGeminiCountTokens } from './handlers/gemini-count-tokens.ts';
import { handleBatchEmbedContents, handleEmbedContent } from './handlers/gemini-embeddings.ts';
import { handleGeminiModels } from './handlers/gemini-models.ts';
import { handleGenerateContent, handleStreamGenerateContent } from './handlers/generate-content.ts';
import { handleInputTokens } from './handlers/input-tokens.ts';
import { handleMessages } from './handlers/messages.ts';
import { handleMessagesCountTokens } from './handlers/messages-count-tokens.ts';
import { handleEmbeddings } from './handlers/openai-embeddings.ts';
import { handleOpenaiModels } from './handlers/openai-models.ts';
import { handleResponses } from './handlers/responses.ts';
import { renderFailure as renderOpenaiFailure } from './openai-chat/errors.ts';

/** https://platform.openai.com/docs/api-reference/chat */
const openaiChat: Protocol = {
  name: 'openai-chat',
  keyHeaders: ['authorization'],
  find: (method, path) => {
    if (method === 'POST' && path === '/v1/chat/completions') return handleChatCompletions;
    if (method === 'GET' && (path === '/v1/models' || path.startsWith('/v1/models/'))) return handleOpenaiModels;
    return undefined;
  },
  renderFailure: renderOpenaiFailure,
};

/** https://platform.openai.com/docs/api-reference/responses */
const openaiResponses: Protocol = {
  name: 'openai-responses',
  keyHeaders: ['authorization'],
  find: findPost({
    '/v1/responses': handleResponses,
    '/v1/responses/compact': handleCompact,
    '/v1/responses/input_tokens': handleInputTokens,
  }),
  renderFailure: renderOpenaiFailure,
};

/** https://docs.claude.com/en/api/messages */
const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  keyHeaders: ['x-api-key', 'authorization'],
  find: findPost({ '/v1/messages': handleMessages, '/v1/messages/count_tokens': handleMessagesCountTokens }),
  renderFailure: renderAnthropicFailure,
};

/** https://ai.google.dev/api/generate-content */
const gemini: Protocol = {
  name: 'gemini',
  keyHeaders: ['x-goog-api-key', 'authorization'],
  find: findGemini,
  renderFailure: renderGeminiFailure,
};

const openaiEmbeddings: Protocol = {
  name: 'openai-embeddings',
  keyHeaders: ['authorization'],
  find: findPost({ '/v1/embeddings': handleEmbeddings }),
  renderFailure: renderOpenaiFailure,
};

const geminiEmbeddings: Protocol = {
  name: 'gemini-embeddings',
  keyHeaders: ['x-goog-api-key'],
  find: (method, path) => {
    if (method !== 'POST' || !path.startsWith('/v1beta/models/')) return undefined;
    if (path.endsWith(':embedContent')) return handleEmbedContent;
    return path.endsWith(':batchEmbedContents') ? handleBatchEmbedContents : undefined;
  },
  renderFailure: renderGeminiEmbeddingFailure,
};

const PROTOCOLS: readonly Protocol[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  gemini,
  openaiEmbeddings,
  geminiEmbeddings,
];

/** The protocol and handler of a path without its query. */
export function findHandler(method: string, path: string): { protocol: Protocol; handler: Handler } | undefined {
  for (const protocol of PROTOCOLS) {
    const handler = protocol.find(method, path);
    if (handler !== undefined) return { protocol, handler };
  }
  return undefined;
}

function findPost(handlers: Readonly<Record<string, Handler>>): Protocol['find'] {
  return (method, path) => (method === 'POST' && Object.hasOwn(handlers, path) ? handlers[path] : undefined);
}

/** Official clients call `v1` or `v1beta`. The simulator treats both alike. */
const GEMINI_MODEL_PATH = /^\/(v1|v1beta)\/models\/(.+):([A-Za-z]+)$/;

/** By the method name after the last colon of the path. */
const GEMINI_METHODS: Readonly<Record<string, (exchange: Exchange, model: string) => Promise<void>>> = {
  generateContent: handleGenerateContent,
  streamGenerateContent: handleStreamGenerateContent,
  countTokens: handleGeminiCountTokens,
};

function findGemini(method: string, path: string): Handler | undefined {
  if (method === 'GET' && (path === '/v1beta/models' || path.startsWith('/v1beta/models/'))) return handleGeminiModels;
  const [, , model = '', called = ''] = (method === 'POST' ? GEMINI_MODEL_PATH.exec(path) : null) ?? [];
  const handler = GEMINI_METHODS[called];
  return handler === undefined ? undefined : (exchange) => handler(exchange, decodeSafely(model));
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

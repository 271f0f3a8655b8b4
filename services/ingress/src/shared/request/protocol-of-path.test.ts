import { expect, it } from 'vitest';
import { protocolOfPath } from './protocol-of-path.ts';
import { surfaceOf } from './surface.ts';

it.each([
  ['/v1/chat/completions', 'openai-chat'],
  ['/chat/completions', 'openai-chat'],
  ['/v1/responses', 'openai-responses'],
  ['/responses/input_tokens', 'openai-responses'],
  ['/v1/embeddings', 'openai-embeddings'],
  ['/v1/messages', 'anthropic-messages'],
  ['/v1/messages/count_tokens', 'anthropic-messages'],
  ['/v1beta/models/m:streamGenerateContent', 'gemini'],
  ['/v1/models/m:generateContent', 'gemini'],
  ['/v1beta/models/m:batchEmbedContents', 'gemini-embeddings'],
  ['/messages/count_tokens', 'anthropic-messages'],
  ['/models/m:embedContent', 'gemini-embeddings'],
  ['/v1/models/m', ''],
  ['/v1/responsesx', ''],
  ['/v1/billing/balance', ''],
])('%s speaks %s', (path, protocol) => {
  expect(protocolOfPath(path, surfaceOf(path))).toBe(protocol);
});

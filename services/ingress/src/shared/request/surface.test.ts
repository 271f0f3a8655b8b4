import { describe, expect, it } from 'vitest';
import { protocolOfPath, surfaceOf } from './surface.ts';

describe('surfaceOf', () => {
  it.each([
    ['/v1/billing/balance', 'billing'],
    ['/v1/billing/', 'billing'],
    ['/v1/billingx', 'model'],
    ['/v1beta/models', 'generative'],
    ['/v1beta/models/gemini-x:generateContent', 'generative'],
    ['/v1/models/vendor/a:b:streamGenerateContent', 'generative'],
    ['/v1/models/llama:70b', 'model'],
    ['/v1/models', 'model'],
    ['/models/gemini-x:generateContent', 'generative'],
    ['/models/llama:70b', 'model'],
    ['/v1/messages/count_tokens', 'messages'],
    ['/messages', 'messages'],
    ['/messages/count_tokens', 'messages'],
    ['/messagesx', 'model'],
    ['/v1/chat/completions', 'model'],
    ['/anything', 'model'],
  ])('%s is %s', (path, surface) => {
    expect(surfaceOf(path)).toBe(surface);
  });
});

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

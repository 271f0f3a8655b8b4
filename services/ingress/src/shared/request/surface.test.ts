import { describe, expect, it } from 'vitest';
import { protocolOfPath, surfaceOf, unsupportedReason } from './surface.ts';

describe('surfaceOf', () => {
  it.each([
    ['/v1/billing/balance', 'billing'],
    ['/v1/keys', 'keys'],
    ['/v1/keys/x', 'model'],
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

it.each([
  ['/v1/responses/resp_1', 'not stored'],
  ['/responses/resp_1/cancel', 'not stored'],
  ['/v1/batches', 'Batches'],
  ['/v1/messages/batches', 'Batches'],
  ['/v1beta/models/some:batchGenerateContent', 'Batches'],
  ['/v1/files/file-1', 'Files'],
  ['/files', 'Files'],
  ['/v1/files:register', 'Files'],
  ['/upload/v1beta/files', 'Files'],
  ['/v1beta/cachedContents/x', 'Cached contents'],
  ['/v1/cachedContents', 'Cached contents'],
  ['/v1/completions', 'chat/completions'],
  ['/v1/interactions', ':generateContent'],
  ['/v1beta/models/imagen:predict', 'Only text generation'],
  ['/images/generations', 'Only text generation'],
  ['/v2/rerank', 'Only text generation'],
  ['/v1/realtime', 'Live sessions'],
  ['/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', 'Live sessions'],
  ['/v1/credits', '/v1/billing/balance'],
  ['/v1/key', '/v1/billing/balance'],
  ['/v1/auth/key', '/v1/billing/balance'],
  ['/v1/generation', '/v1/billing/requests/{request_id}'],
])('explains why %s is not supported', (path, word) => {
  expect(unsupportedReason(path)).toContain(word);
});

it.each([
  '/v1/responses',
  '/v1/response',
  '/v1/message',
  '/v1/completion',
  '/v3/files',
  '/v1/models/files',
  '/v1/filesystem',
  '/',
])('has no explanation for %s', (path) => {
  expect(unsupportedReason(path)).toBeUndefined();
});

import { expect, it } from 'vitest';
import { unsupportedReason } from './unsupported-paths.ts';

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

import { expect, it } from 'vitest';
import { unsupportedReason } from './unsupported-paths.ts';

it.each([
  ['/v1/responses/resp_1', 'not stored'],
  ['/v1/responses/resp_1/cancel', 'not stored'],
  ['/v1/batches', 'Batches'],
  ['/v1/messages/batches', 'Batches'],
  ['/v1beta/models/some:batchGenerateContent', 'Batches'],
  ['/v1/files/file-1', 'Files'],
  ['/upload/v1beta/files', 'Files'],
  ['/v1beta/cachedContents/x', 'Cached contents'],
  ['/v1/completions', 'chat/completions'],
])('explains why %s is not supported', (path, word) => {
  expect(unsupportedReason(path)).toContain(word);
});

it.each(['/v1/response', '/v1/message', '/v1/completion', '/v2/files', '/'])('has no explanation for %s', (path) => {
  expect(unsupportedReason(path)).toBeUndefined();
});

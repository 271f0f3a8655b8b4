import { describe, expect, it } from 'vitest';
import { surfaceOf } from '../../shared/request/surface.ts';
import { limitedCallOf } from './model-call.ts';

const LIMITS = { modelId: 'vendor/m:1', requestsPerMinute: 5, tokensPerMinute: undefined };
const names = new Map([
  ['vendor/m:1', { limits: LIMITS }],
  ['alias', { limits: LIMITS }],
  ['free', { limits: undefined }],
]);

function callOf(method: string, path: string, body: string, hasModelLimits = true) {
  const looked: string[] = [];
  const table = {
    hasModelLimits,
    find: (name: string) => {
      looked.push(name);
      return names.get(name);
    },
  };
  return { call: limitedCallOf({ method, path }, surfaceOf(path), Buffer.from(body), table), looked };
}

describe('the limited call of a request', () => {
  it.each([
    '/v1/chat/completions',
    '/chat/completions/',
    '/v1/responses',
    '/v1/messages',
    '/messages',
    '/v1/embeddings/',
  ])('POST %s calls the model that its body names', (path) => {
    expect(callOf('POST', path, '{"model":"alias"}').call).toEqual({ usesTokens: true, model: LIMITS });
    expect(callOf('POST', path, '{"model":"free"}').call).toEqual({ usesTokens: true, model: undefined });
    expect(callOf('POST', path, '{"model":"nowhere"}').call).toEqual({ usesTokens: true, model: undefined });
    expect(callOf('POST', path, '{').call).toEqual({ usesTokens: true, model: undefined });
  });

  it.each([
    '/v1beta/models/vendor/m:1:generateContent',
    '/v1beta/models/vendor%2Fm%3A1:streamGenerateContent',
    '/v1/models/models/alias:embedContent',
    '/models/alias:generateContent',
    '/v1beta/models/alias:batchEmbedContents/',
  ])('POST %s calls the model of its path', (path) => {
    expect(callOf('POST', path, '{"model":"free"}').call).toEqual({ usesTokens: true, model: LIMITS });
  });

  it.each([
    ['GET', '/v1/models'],
    ['GET', '/v1/messages'],
    ['POST', '/v1/messages/count_tokens'],
    ['POST', '/v1/responses/input_tokens/'],
    ['POST', '/v1beta/models/alias:countTokens'],
  ])('%s %s calls none', (method, path) => {
    expect(callOf(method, path, '{"model":"alias"}').call).toEqual({ usesTokens: false, model: undefined });
  });

  it('does not read the body for its model while no model has limits', () => {
    expect(callOf('POST', '/v1/messages', '{"model":"alias"}', false)).toEqual({
      call: { usesTokens: true, model: undefined },
      looked: [],
    });
  });

  it('has no model if its path cannot be decoded', () => {
    expect(callOf('POST', '/v1beta/models/%zz:generateContent', '').call.model).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { surfaceOf } from '../../shared/request/surface.ts';
import { limitedCallOf, readModelName } from './model-call.ts';

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

const read = (text: string) => readModelName(Buffer.from(text));

describe('the model of a body', () => {
  it('is the one of JSON.parse, at any position and with any escapes', () => {
    const others = fc.dictionary(
      fc.string().filter((key) => key !== 'model'),
      fc.jsonValue(),
      { noNullPrototype: true },
    );
    const escaped = (text: string) =>
      [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    fc.assert(
      fc.property(others, others, fc.string({ maxLength: 50 }), fc.boolean(), (before, after, model, asEscapes) => {
        const inner = (value: object) => JSON.stringify(value, null, 1).slice(1, -1).trim();
        const member = asEscapes ? `"${escaped('model')}" : "${escaped(model)}"` : `"model":${JSON.stringify(model)}`;
        const text = `{${[inner(before), member, inner(after)].filter((part) => part !== '').join(',')}}`;
        expect(read(text)).toBe(model);
      }),
    );
  });

  it.each([
    ['no body', ''],
    ['no object', '["model","a"]'],
    ['none', '{"messages":[{"model":"inner"}],"x":"model"}'],
    ['one that is no text', '{"model":7}'],
    ['one that has no end', '{"model":"a'],
    ['a text without an end before it', '{"a":"b,"model":"c"'.slice(0, 9)],
    ['a broken escape', '{"model":"\\u12"}'],
    ['one longer than any', `{"model":"${'a'.repeat(2_000)}"}`],
  ])('is not found if there is %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is the first of two', () => {
    expect(read('{"a":{"model":"inner"},"model":"first","model":"second"}')).toBe('first');
  });

  it('is found in a large body without much delay', () => {
    const hostile = `{"a":"${'\\\\'.repeat(8_000_000)}","model":"m"}`;
    const startedAt = performance.now();
    expect(read(hostile)).toBe('m');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { gemini } from '../index.ts';

const { count, upstream } = gemini;
const CALL = { model: 'm', stream: 'none' } as const;
const CONTENTS = [{ parts: [{ text: 'hi' }] }];

function read(body: unknown) {
  if (count === undefined) throw new Error('no count');
  return runToEnd(count.parseRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), CALL));
}

describe('the client’s count', () => {
  test('accepts contents, or a complete request', () => {
    for (const body of [
      { contents: CONTENTS },
      { generateContentRequest: { model: 'models/m', contents: CONTENTS } },
      { generate_content_request: { contents: CONTENTS }, contents: undefined },
      { generateContentRequest: null, contents: CONTENTS },
    ]) {
      const result = read(body);
      expect(result?.ok && result.request.texts()).toEqual(['hi']);
    }
    expect(count?.encodeResponse(5)).toBe('{"totalTokens":5}');
  });

  test.each<[unknown, string]>([
    [{}, 'contents: required, but missing'],
    ['', 'the body is empty; it must be a JSON object'],
    [{ generateContentRequest: {} }, 'generateContentRequest.contents: required, but missing'],
    [{ generateContentRequest: 5 }, 'generateContentRequest: the body must be a JSON object'],
    [
      { generateContentRequest: { contents: CONTENTS }, contents: CONTENTS },
      'contents: not allowed together with generateContentRequest; send only one',
    ],
  ])('rejects %j: %s', (body, message) => {
    const result = read(body);
    expect(result?.ok === false && result.error.message).toBe(message);
  });
});

test('the provider’s count is of the complete request', () => {
  const { nativeCount } = upstream;
  expect(nativeCount?.path('models/a b')).toBe('/models/a%20b:countTokens');
  expect(nativeCount?.encodeRequest({ contents: CONTENTS }, 'up')).toEqual({
    generateContentRequest: { model: 'models/up', contents: CONTENTS },
  });
  expect(nativeCount?.decode(Buffer.from('{"totalTokens":7}'))).toBe(7);
  for (const body of ['', '{}', '[]', '{"totalTokens":-1}', '{"totalTokens":"7"}']) {
    expect(nativeCount?.decode(Buffer.from(body))).toBeUndefined();
  }
});

test('calls go to the model’s own path', () => {
  expect(upstream.path('gemini-3-pro', false)).toBe('/models/gemini-3-pro:generateContent');
  expect(upstream.path('models/gemini-3-pro', true)).toBe('/models/gemini-3-pro:streamGenerateContent?alt=sse');
});

import { describe, expect, test } from 'vitest';
import { clientRequest } from '../../../testing/gemini/round-trip.ts';

const FACTS = {
  tokensPerRequest: 10,
  tokensPerMessage: 5,
  maxTokensPerImage: 1_000,
  maxOutputTokens: 8_000,
  contextWindow: 1_000_000,
};

const bound = (body: object) => clientRequest(body).bound(FACTS);
const parts = (...list: object[]) => ({ contents: [{ role: 'user', parts: list }] });
const BASE = bound(parts({ text: 'hi' })).inputTokens;

describe('the bound of a request', () => {
  test('counts the bytes of texts, and the overhead around them', () => {
    expect(BASE).toBeLessThan(40);
    expect(bound(parts({ text: 'hiä' })).inputTokens).toBe(BASE + 2);
    expect(bound({ ...parts({ text: 'hi' }), systemInstruction: { parts: [{ text: 'abc' }] } }).inputTokens).toBe(
      BASE + 3,
    );
  });

  const LONG = 'x'.repeat(5_000);
  test.each<[string, object]>([
    ['an unknown field', { ...parts({ text: 'hi' }), future: LONG }],
    ['an unknown field of a part', parts({ text: 'hi', future: LONG })],
    ['an unknown setting', { ...parts({ text: 'hi' }), generationConfig: { future: LONG } }],
    ['a schema', { ...parts({ text: 'hi' }), generationConfig: { responseSchema: { description: LONG } } }],
    ['a tool', { ...parts({ text: 'hi' }), tools: [{ functionDeclarations: [{ name: 'f', description: LONG }] }] }],
    ['the input of a function', parts({ functionCall: { name: 'f', args: { a: LONG } } })],
    ['the result of a function', parts({ functionResponse: { name: 'f', response: { a: LONG } } })],
    ['a thought signature', parts({ text: 'hi', thoughtSignature: LONG })],
    ['code', parts({ executableCode: { code: LONG } })],
    ['audio in place', parts({ inlineData: { mimeType: 'audio/wav', data: LONG } })],
  ])('counts %s', (_, body) => {
    expect(bound(body).inputTokens).toBeGreaterThanOrEqual(5_000);
  });

  test('counts images by their maximum, and files and URLs as the context window', () => {
    const image = { inlineData: { mimeType: 'image/png', data: LONG } };
    expect(bound(parts({ text: 'hi' }, image))).toMatchObject({
      inputTokens: BASE + 1_000,
      images: 1,
      modalities: ['text', 'image'],
    });
    expect(bound(parts({ functionResponse: { name: 'f', parts: [image] } })).images).toBe(1);
    expect(bound(parts({ fileData: { fileUri: 'https://x', mimeType: 'image/png' } })).images).toBe(1);
    for (const mimeType of ['application/pdf', 'video/mp4', 'text/plain', undefined]) {
      expect(bound(parts({ fileData: { fileUri: 'https://x', mimeType } }))).toMatchObject({
        inputTokens: 1_000_000,
        modalities: ['text', 'file'],
      });
    }
    expect(bound(parts({ fileData: { fileUri: 'https://x', mimeType: 'audio/wav' } })).inputTokens).toBe(1_000_000);
  });

  test('uses the smaller limit, for each candidate', () => {
    const of = (generationConfig: object) => bound({ ...parts({ text: 'hi' }), generationConfig });
    expect(of({ maxOutputTokens: 5, candidateCount: 3 })).toMatchObject({
      requestedOutputTokens: 5,
      outputTokensPerChoice: 5,
      choices: 3,
    });
    expect(of({ max_output_tokens: 9_000 })).toMatchObject({
      requestedOutputTokens: 9_000,
      outputTokensPerChoice: 8_000,
    });
    expect(of({})).toMatchObject({ requestedOutputTokens: undefined, outputTokensPerChoice: 8_000, choices: 1 });
  });
});

test('describes the request', () => {
  const request = clientRequest(
    { contents: [{ parts: [{ text: 'hi' }] }], generation_config: { max_output_tokens: 3 } },
    'json-array',
  );
  expect(request).toMatchObject({
    model: 'm',
    isStream: true,
    outputLimit: { tokens: 3, field: 'generation_config.max_output_tokens' },
  });
  expect(clientRequest({ contents: [{ parts: [{ text: 'hi' }] }] })).toMatchObject({
    isStream: false,
    outputLimit: { tokens: undefined, field: 'generationConfig.maxOutputTokens' },
  });
});

test('turns of one conversation share their beginning', () => {
  const first = { systemInstruction: { parts: [{ text: 's' }] }, contents: [{ parts: [{ text: 'a' }] }] };
  const next = {
    contents: [...first.contents, { role: 'model', parts: [{ text: 'b' }] }],
    systemInstruction: first.systemInstruction,
  };
  const { prompt } = clientRequest(first);
  expect(clientRequest(next).prompt.subarray(0, prompt.length - 1)).toEqual(prompt.subarray(0, -1));
});

test('has all texts for counting', () => {
  const texts = clientRequest({
    system_instruction: { parts: [{ text: 's' }] },
    contents: [
      { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: { x: 1 } } }] },
      { parts: [{ functionResponse: { name: 'f', response: { y: 2 } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'g' }] }],
    generationConfig: { responseMimeType: 'application/json', responseSchema: { type: 'STRING' } },
  }).texts();
  expect(texts).toEqual(['s', 'a', 'f', '{"x":1}', 'f', '{"y":2}', '{"name":"g"}', '{"type":"STRING"}']);
});

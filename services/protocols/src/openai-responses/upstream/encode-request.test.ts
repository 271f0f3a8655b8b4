import { describe, expect, test } from 'vitest';
import type { CanonicalRequest } from '../../canonical/request.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import { runToEnd } from '../../lists/stages.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import { openaiResponses } from '../index.ts';

const { encodeRequest, nativeCount } = openaiResponses.upstream;

function encode(request: Partial<CanonicalRequest>, parameters: ModelParameters = {}) {
  const diagnostics = new Diagnostics();
  const complete: CanonicalRequest = {
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi', at: 'q' }], at: 'p' }],
    tools: [],
    names: {},
    ...request,
  };
  const target = { upstreamModel: 'm', parameters, outputTokens: undefined, isStream: false, maxOutputTokens: 10 };
  return { body: runToEnd(encodeRequest(complete, target, diagnostics)), diagnostics };
}

describe('encodeRequest', () => {
  test('stores nothing, and requests reasoning from models that reason', () => {
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }];
    expect(encode({}).body).toEqual({ model: 'm', input, store: false });
    const include = ['reasoning.encrypted_content'];
    expect(encode({}, { efforts: ['low'] }).body).toEqual({ model: 'm', input, store: false, include });
    expect(encode({ reasoning: { effort: 'low' } }, { efforts: [] }).body).toEqual({ model: 'm', input, store: false });
    expect(encode({ reasoning: { budgetTokens: 3_000 } }).body).toMatchObject({
      include,
      reasoning: { effort: 'medium' },
    });
    expect(encode({ reasoning: { effort: 'none' } }).body).not.toHaveProperty('include');
    expect(encode({ reasoning: { adaptive: true, show: 'none' } }).body).not.toHaveProperty('reasoning');
  });

  test('leaves out what the provider does not take, and refuses what changes the response', () => {
    const unsupported = ['reasoning.effort', 'safety_identifier', 'top_logprobs'];
    const names = { userId: 'user', reasoning: 'reasoning_effort', logprobs: 'top_logprobs' };
    const { body, diagnostics } = encode({ userId: 'u', reasoning: { effort: 'low' }, names }, { unsupported });
    expect(body).not.toHaveProperty('reasoning');
    expect(body).not.toHaveProperty('safety_identifier');
    expect(diagnostics.warnings.map(({ path }) => path).sort()).toEqual(['reasoning_effort', 'user']);
    expect(encode({ logprobs: { top: 2 }, names }, { unsupported }).diagnostics.errors[0]?.path).toBe('top_logprobs');
  });

  const OPEN = { type: 'object', properties: { a: { type: 'string' } } };
  const CLOSED = { ...OPEN, required: ['a'], additionalProperties: false };

  test.each([
    [{ ...OPEN, required: ['a'] }, true, CLOSED, true, []],
    [undefined, true, { type: 'object', properties: {}, additionalProperties: false }, true, []],
    [OPEN, true, OPEN, false, ['x']],
    [{ type: 'object' }, true, { type: 'object' }, false, ['x']],
    [OPEN, false, OPEN, false, []],
  ])('applies a tool’s schema as strictly as OpenAI does: %j, strict %j', (given, strict, parameters, sent, warned) => {
    const tool = { type: 'function' as const, name: 'f', strict, at: 'x', ...(given && { parameters: given }) };
    const { body, diagnostics } = encode({ tools: [tool] });
    expect(body['tools']).toEqual([{ type: 'function', name: 'f', parameters, strict: sent }]);
    expect(diagnostics.warnings.map(({ path }) => path)).toEqual(warned);
  });

  test.each([
    [{ ...OPEN, required: ['a'] }, true, CLOSED, true, []],
    [OPEN, true, OPEN, false, ['x']],
    [OPEN, false, OPEN, false, []],
  ])('applies a schema as strictly as OpenAI does: %j, strict %j', (given, strict, schema, sent, warned) => {
    const responseFormat = { type: 'json-schema' as const, schema: given, strict };
    const { body, diagnostics } = encode({ responseFormat, names: { responseFormat: 'x' } });
    expect(body['text']).toEqual({ format: { type: 'json_schema', name: 'response', schema, strict: sent } });
    expect(diagnostics.warnings.map(({ path }) => path)).toEqual(warned);
  });

  test.each([
    [false, []],
    [true, [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm?' }] }]],
  ])('sends thinking of others only if it needs no signature: %j', (unsignedThinking, sent) => {
    const opaque = { origin: 'anthropic-messages' as const, data: 'c2ln' };
    const assistant = {
      role: 'assistant' as const,
      parts: [
        { type: 'reasoning' as const, form: 'summary' as const, text: 'Hm?', opaque },
        { type: 'text' as const, text: 'Yes.' },
      ],
    };
    const { body, diagnostics } = encode({ messages: [assistant] }, { unsignedThinking });
    const said = { type: 'message', role: 'assistant' };
    expect(body['input']).toMatchObject([...sent, said]);
    expect(diagnostics.warnings).toHaveLength(unsignedThinking ? 0 : 1);
  });

  test('mentions JSON if it is requested, as OpenAI requires', () => {
    const { body, diagnostics } = encode({ responseFormat: { type: 'json' }, names: { responseFormat: 'x' } });
    expect(JSON.stringify(body['input'])).toContain('JSON');
    expect(diagnostics.warnings.map(({ path }) => path)).toEqual(['x']);
    expect(diagnostics.places().get('input[1]')).toBe('p');
  });

  test('records where everything was placed', () => {
    const { diagnostics } = encode({ temperature: 1, names: { temperature: 'generationConfig.temperature' } });
    expect(Object.fromEntries(diagnostics.places())).toEqual({
      'input[0]': 'p',
      'input[0].content[0]': 'q',
      temperature: 'generationConfig.temperature',
    });
  });

  test('states that a tool failed, and shortens ids that are too long', () => {
    const id = 'x'.repeat(70);
    const result = {
      type: 'tool-result',
      kind: 'function',
      callId: id,
      isError: true,
      parts: [{ type: 'text', text: 'boom' }],
      at: 'r',
    } as const;
    const { body, diagnostics } = encode({
      messages: [
        { role: 'assistant', parts: [{ type: 'tool-call', kind: 'function', id, name: 'f', input: '{}' }] },
        { role: 'tool', parts: [result, { ...result, at: 's' }] },
      ],
    });
    const output = [
      { type: 'input_text', text: 'The tool call failed:' },
      { type: 'input_text', text: 'boom' },
    ];
    expect(body['input']).toMatchObject([{ type: 'function_call' }, { output }, { output }]);
    const ids = new Set(Array.isArray(body['input']) ? body['input'].map((item) => item.call_id) : []);
    expect([...ids].map((one) => one.length <= 64)).toEqual([true]);
    expect(diagnostics.warnings.map(({ path }) => path)).toEqual(['r']);
  });

  test('drops reasoning of others, with one warning', () => {
    const { body, diagnostics } = encode({
      messages: [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', form: 'full', text: 'a', at: 'one' },
            { type: 'reasoning', form: 'full', text: 'b', opaque: { origin: 'gemini', data: 'x' }, at: 'two' },
            { type: 'text', text: 'c' },
          ],
        },
      ],
    });
    expect(body['input']).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'c', annotations: [] }] },
    ]);
    expect(diagnostics.warnings.map(({ path }) => path)).toEqual(['one']);
  });

  test.each<[string, Partial<CanonicalRequest>]>([
    ['choices', { choices: 2, names: { choices: 'at' } }],
    ['logitBias', { logitBias: { 5: 1 }, names: { logitBias: 'at' } }],
    [
      'audio',
      { messages: [{ role: 'user', parts: [{ type: 'audio', mediaType: 'audio/wav', data: 'QQ==', at: 'at' }] }] },
    ],
    [
      'a video',
      {
        messages: [
          {
            role: 'user',
            parts: [{ type: 'file', source: { kind: 'data', mediaType: 'video/mp4', data: 'QQ==' }, at: 'at' }],
          },
        ],
      },
    ],
  ])('rejects %s', (_, request) => {
    expect(encode(request).diagnostics.errors.map(({ path }) => path)).toEqual(['at']);
  });

  test.each<[string, Partial<CanonicalRequest>]>([
    ['topK', { topK: 3, names: { topK: 'at' } }],
    ['seed', { seed: 3, names: { seed: 'at' } }],
    ['presencePenalty', { presencePenalty: 1, names: { presencePenalty: 'at' } }],
    ['a name', { messages: [{ role: 'user', name: 'Ann', parts: [{ type: 'text', text: 'hi' }], at: 'at' }] }],
    ['a cache hint', { messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi', cache: {}, at: 'at' }] }] }],
    ['a cache hint of a tool', { tools: [{ type: 'function', name: 'f', cache: {}, at: 'at' }] }],
  ])('drops %s with a warning', (_, request) => {
    const { diagnostics } = encode(request);
    expect(diagnostics.errors).toEqual([]);
    expect(diagnostics.warnings.map(({ path }) => path)).toEqual(['at']);
  });

  test('drops defaults silently', () => {
    const { diagnostics } = encode({ choices: 1, logitBias: {}, presencePenalty: 0 });
    expect([...diagnostics.errors, ...diagnostics.warnings]).toEqual([]);
  });
});

describe('nativeCount', () => {
  test('sends the fields that make up the prompt', () => {
    const body = { model: 'a', input: 'hi', tools: [], store: false, stream: true, include: [], max_output_tokens: 1 };
    expect(nativeCount?.encodeRequest(body, 'up')).toEqual({ model: 'up', input: 'hi', tools: [] });
    expect(nativeCount?.path('up')).toBe('/responses/input_tokens');
  });

  test.each([
    ['{"object":"response.input_tokens","input_tokens":11}', 11],
    ['{"input_tokens":"11"}', undefined],
    ['', undefined],
  ])('decodes %s', (body, tokens) => {
    expect(nativeCount?.decode(Buffer.from(body))).toBe(tokens);
  });
});

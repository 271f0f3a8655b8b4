import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accepted, CONTEXT, callOf, charged, errorOf, parse, responseOf } from '../../../testing/embeddings/calls.ts';
import { inputTokens, requestTexts } from '../shared/request.ts';
import { encodeBase64 } from '../shared/vector.ts';

const FACTS = {
  tokensPerRequest: 32,
  tokensPerMessage: 8,
  maxTokensPerImage: 0,
  maxOutputTokens: 1,
  contextWindow: 8_191,
};

describe('a request in OpenAI’s shape', () => {
  it.each([
    ['a text', 'Hello', ['Hello'], 0],
    ['texts', ['Hello', 'there'], ['Hello', 'there'], 0],
    ['tokens', [1, 2, 3], [], 3],
    ['tokens of several', [[1, 2], [3]], [], 3],
  ])('may have %s', (_, input, texts, tokens) => {
    const { model, canonical } = accepted(parse.openai({ model: 'm', input }));
    expect({ model, texts: requestTexts(canonical), tokens: inputTokens(canonical) }).toEqual({
      model: 'm',
      texts,
      tokens,
    });
  });

  it('may be as long as OpenAI allows, in tokens', () => {
    const input = Array.from({ length: 300 }, () => Array.from({ length: 1_000 }, (_, token) => token));
    expect(inputTokens(accepted(parse.openai({ model: 'm', input })).canonical)).toBe(300_000);
  });

  it.each([
    [{ input: 'x' }, 'model: required, but missing'],
    [{ model: 'm' }, 'input: required, but missing'],
    [{ model: 'm', input: null }, 'input: expected a string or an array'],
    [{ model: 'm', input: {} }, 'input: expected a string or an array'],
    [{ model: 'm', input: '' }, 'input: must not be empty'],
    [{ model: 'm', input: [] }, 'input: must not be empty'],
    [{ model: 'm', input: ['a', ''] }, 'input[1]: must not be empty'],
    [{ model: 'm', input: ['a', 1] }, 'input[1]: expected a string'],
    [{ model: 'm', input: [1, 'a'] }, 'input: expected tokens'],
    [{ model: 'm', input: [[1], []] }, 'input[1]: must not be empty'],
    [{ model: 'm', input: [[1], [-1]] }, 'input[1]: expected tokens'],
    [{ model: 'm', input: [[1], [1.5]] }, 'input[1]: expected tokens'],
    [{ model: 'm', input: [{}] }, 'input[0]: expected a string or an array of tokens'],
    [{ model: 'm', input: Array.from({ length: 2_049 }, () => 'a') }, 'input: expected at most 2048 elements'],
    [{ model: 'm', input: 'x', dimensions: 0 }, 'dimensions: expected a number of at least 1'],
    [{ model: 'm', input: 'x', dimensions: '8' }, 'dimensions: expected a'],
    [{ model: 'm', input: 'x', encoding_format: 'hex' }, 'encoding_format: expected "float" or "base64"'],
    [{ model: 'm', input: 'x', service_tier: 'priority' }, 'service_tier: not supported'],
    [{ model: 'm', input: 'x', models: ['other'] }, 'models: not supported'],
    ['{"model":"m","input":"x","input":"y"}', 'input: the key appears more than once'],
    ['[]', 'the body must be a JSON object'],
  ])('is rejected by the name of the field: %j', (body, message) => {
    expect(errorOf(parse.openai(body))).toContain(message);
  });

  it('never needs more tokens than its bound', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1 }), (input) => {
        const bytes = input.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        const { bound } = accepted(parse.openai({ model: 'm', input }));
        expect(bound(FACTS)).toBeGreaterThanOrEqual(bytes + 32 + 8 * input.length);
      }),
    );
    const tokens = [Array.from({ length: 500 }, () => 7)];
    expect(accepted(parse.openai({ model: 'm', input: tokens })).bound(FACTS)).toBeGreaterThanOrEqual(540);
    const unknown = { model: 'm', input: 'x', instruction: 'y'.repeat(10_000) };
    expect(accepted(parse.openai(unknown)).bound(FACTS)).toBeGreaterThan(10_000);
  });
});

describe('for an upstream of the same protocol', () => {
  it('the bytes stay except for the model', () => {
    const text = '{ "input": ["caf\\u00e9", "b"],\n "model":"m" , "dimensions": 8, "vendor": {"x": 1.0} }';
    const call = callOf(accepted(parse.openai(text)), 'openai-embeddings');
    expect(call).toMatchObject({ path: '/embeddings', text: text.replace('"m"', '"upstream-name"'), warnings: [] });
  });

  it('the response’s bytes stay except for the model and the cost', () => {
    const body =
      '{"object":"list", "data":[{"object": "embedding","index":0,"embedding":[0.10, -2e-3]}],"model":"up","usage":{"prompt_tokens":5, "total_tokens":5}}';
    const { text, usage } = responseOf(accepted(parse.openai({ model: 'm', input: 'x' })), 'openai-embeddings', body);
    expect(text).toBe(body.replace('"up"', '"client-name"').replace('_tokens":5}', '_tokens":5,"cost":0.00012}'));
    expect(usage).toMatchObject({ input: 5, output: 0 });
  });

  it.each([
    ['float', 'AACAPwAAIMA=', [1, -2.5]],
    [undefined, 'AACAPwAAIMA=', [1, -2.5]],
    ['base64', [1, -2.5], 'AACAPwAAIMA='],
  ])('vectors are in the requested format: %s', (encoding_format, theirs, ours) => {
    const client = accepted(parse.openai({ model: 'm', input: 'x', encoding_format }));
    const body = { data: [{ object: 'embedding', index: 0, embedding: theirs }], usage: { prompt_tokens: 5 }, id: 'e' };
    expect(responseOf(client, 'openai-embeddings', body).value).toMatchObject({
      data: [{ object: 'embedding', index: 0, embedding: ours }],
      id: 'e',
    });
  });

  it.each([
    [undefined],
    [null],
    [{}],
    [{ prompt_tokens: 0, total_tokens: 0 }],
    [{ prompt_tokens: -1 }],
    [{ prompt_tokens: 1.5 }],
  ])('replaces an invalid usage: %j', (usage) => {
    const client = accepted(parse.openai({ model: 'm', input: 'x' }));
    const answer = responseOf(client, 'openai-embeddings', { data: [{ embedding: [1] }], usage }, charged(3, true));
    expect(answer.usage).toBeUndefined();
    expect(answer.value).toMatchObject({ usage: { prompt_tokens: 3, total_tokens: 3, cost: 0.00012 } });
  });

  it('uses the total if there is nothing else', () => {
    const client = accepted(parse.openai({ model: 'm', input: 'x' }));
    const body = { data: [{ embedding: [1] }], usage: { total_tokens: 9 } };
    expect(responseOf(client, 'openai-embeddings', body).usage).toMatchObject({ input: 9 });
  });

  it('an error with a success status is an error, and anything else malformed', () => {
    const { responseTransformer } = accepted(parse.openai({ model: 'm', input: 'x' }));
    const kinds = [
      '{"error":{"message":"no"}}',
      '{}',
      '{"data":{}}',
      '{"data":[',
      '[]',
      '',
      '{"data":[{"embedding":7}]}',
    ];
    expect(
      kinds.map((body) => responseTransformer('openai-embeddings', CONTEXT).transform(Buffer.from(body))),
    ).toMatchObject([
      { kind: 'error', error: { message: 'no' } },
      ...kinds.slice(1).map(() => ({ kind: 'malformed' })),
    ]);
  });
});

describe('for Gemini', () => {
  it('is a batch', () => {
    const client = accepted(parse.openai({ model: 'm', input: ['a', 'b'], dimensions: 8, encoding_format: 'base64' }));
    expect(callOf(client, 'gemini-embeddings', 'vendor/name:1')).toMatchObject({
      path: '/models/vendor/name:1:batchEmbedContents',
      body: {
        requests: [
          { model: 'models/vendor/name:1', content: { parts: [{ text: 'a' }] }, outputDimensionality: 8 },
          { model: 'models/vendor/name:1', content: { parts: [{ text: 'b' }] }, outputDimensionality: 8 },
        ],
      },
      warnings: [],
    });
  });

  it('is a single call for a single input', () => {
    const call = callOf(accepted(parse.openai({ model: 'm', input: ['a'] })), 'gemini-embeddings');
    expect(call.path).toBe('/models/upstream-name:embedContent');
    expect(call.body).toEqual({ model: 'models/upstream-name', content: { parts: [{ text: 'a' }] } });
    const body = { embedding: { values: [1, 2] } };
    const answer = responseOf(accepted(parse.openai({ model: 'm', input: 'a' })), 'gemini-embeddings', body);
    expect(answer.value).toMatchObject({ data: [{ index: 0, embedding: [1, 2] }] });
  });

  it('warns of fields that Gemini lacks', () => {
    const client = accepted(parse.openai({ model: 'm', input: 'a', user: 'u', 'odd one': 1, dimensions: null }));
    expect(callOf(client, 'gemini-embeddings').warnings).toEqual([
      "user: not passed on to this model's provider",
      `["odd one"]: not passed on to this model's provider`,
    ]);
  });

  it.each([
    [[1, 2], 'input: this model’s provider does not accept tokens'],
    [[[1], [2]], 'input[0]: this model’s provider does not accept tokens'],
    [Array.from({ length: 101 }, () => 'a'), 'input: this model’s provider accepts at most 100 inputs per call'],
  ])('rejects what Gemini does not support', (input, message) => {
    const call = accepted(parse.openai({ model: 'm', input })).upstreamRequest('gemini-embeddings', 'up');
    expect(call).toMatchObject({ ok: false, error: { message: expect.stringContaining(message.replace('’', "'")) } });
  });

  it('encodes the response in OpenAI’s shape and the requested format', () => {
    const body = { embeddings: [{ values: [1, -2.5] }, { values: [0.5, 0] }], usageMetadata: { promptTokenCount: 4 } };
    const answers = (['float', 'base64'] as const).map((encoding_format) =>
      responseOf(accepted(parse.openai({ model: 'm', input: ['a', 'b'], encoding_format })), 'gemini-embeddings', body),
    );
    const vectors = [
      [1, -2.5],
      [0.5, 0],
    ];
    expect(answers[0]?.usage).toMatchObject({ input: 4 });
    expect(answers.map((answer) => answer.value)).toEqual(
      [vectors, vectors.map(encodeBase64)].map((written) => ({
        object: 'list',
        data: written.map((embedding, index) => ({ object: 'embedding', index, embedding })),
        model: 'client-name',
        usage: { prompt_tokens: 5, total_tokens: 5, cost: 0.00012 },
      })),
    );
  });

  it('rejects a response with fewer vectors than inputs, or none', () => {
    const { responseTransformer } = accepted(parse.openai({ model: 'm', input: ['a', 'b'] }));
    for (const body of [{ embeddings: [{ values: [1] }] }, { embeddings: [] }, { embeddings: [{}, {}] }, {}]) {
      const result = responseTransformer('gemini-embeddings', CONTEXT).transform(Buffer.from(JSON.stringify(body)));
      expect(result.kind).toBe('malformed');
    }
  });
});

it('no bytes of an upstream make it throw', () => {
  const client = accepted(parse.openai({ model: 'm', input: 'a' }));
  const start = fc.constantFrom('', '{"data":', '{"embeddings":', '{"data":[{"embedding":', '{"usage":{},"data":[]');
  fc.assert(
    fc.property(start, fc.oneof(fc.string(), fc.json()), fc.constantFrom('', '}', '}]}'), (head, middle, tail) => {
      for (const upstream of ['openai-embeddings', 'gemini-embeddings'] as const) {
        const result = client.responseTransformer(upstream, CONTEXT).transform(Buffer.from(head + middle + tail));
        if (result.kind === 'response') JSON.parse(result.render(charged(1)).toString('utf8'));
      }
    }),
  );
});

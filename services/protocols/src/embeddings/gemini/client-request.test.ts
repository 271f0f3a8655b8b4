import { describe, expect, it } from 'vitest';
import { accepted, CONTEXT, callOf, charged, errorOf, parse, responseOf } from '../../../testing/embeddings/calls.ts';
import { requestTexts } from '../shared/request.ts';

const hello = { parts: [{ text: 'Hello' }] };

describe('a request in Gemini’s shape', () => {
  it('may be one or a batch, with or without the model’s name and under either name', () => {
    const single = accepted(parse.single({ model: 'models/m', content: hello, output_dimensionality: 8 }));
    expect(single).toMatchObject({
      protocol: 'gemini-embeddings',
      model: 'm',
      canonical: { inputs: [{ content: 'Hello', dimensions: { value: 8, at: 'output_dimensionality' } }] },
    });
    const batch = accepted(parse.batch({ requests: [{ content: hello }, { model: 'm', content: hello, title: 't' }] }));
    expect(requestTexts(batch.canonical)).toEqual(['Hello', 'Hello']);
    expect(batch.canonical.inputs[1]?.title).toEqual({ value: 't', at: 'requests[1].title' });
  });

  it('may have its options in a configuration, which takes precedence', () => {
    const embedContentConfig = { taskType: 'CLUSTERING', outputDimensionality: 4, autoTruncate: false };
    const { canonical } = accepted(parse.single({ content: hello, outputDimensionality: 8, embedContentConfig }));
    expect(canonical).toMatchObject({
      inputs: [{ dimensions: { value: 4 }, taskType: { value: 'CLUSTERING', at: 'embedContentConfig.taskType' } }],
      dropped: [],
    });
  });

  it.each([
    [{}, 'content: required, but missing'],
    [{ content: 'Hello' }, 'content: expected an object, found a string'],
    [{ content: { parts: [] } }, 'content.parts: expected at least 1 element'],
    [{ content: { parts: [{}] } }, 'content.parts[0].text: expected a string'],
    [{ content: { parts: [{ text: 7 }] } }, 'content.parts[0].text: expected a string'],
    [{ content: { parts: [{ text: '' }] } }, 'content.parts: must contain text'],
    [{ content: { parts: [{ text: 'a' }, { inlineData: {} }] } }, 'content.parts[1].inlineData: only text'],
    [{ content: { parts: [{ fileData: { fileUri: 'x' } }] } }, 'content.parts[0].fileData: only text'],
    [{ content: hello, outputDimensionality: 0 }, 'outputDimensionality: expected a number of at least 1'],
    [{ content: hello, model: 'models/other' }, 'model: does not match the model in the path'],
  ])('is rejected by the name of the field: %j', (body, message) => {
    expect(errorOf(parse.single(body))).toContain(message);
    expect(errorOf(parse.batch({ requests: [{ content: hello }, body] }))).toContain(`requests[1].${message}`);
  });

  it.each([
    [{ requests: [] }, 'requests: expected at least 1 element'],
    [{ content: hello }, 'requests: required, but missing'],
    [{ model: 'models/x', requests: [{ content: hello }] }, 'model: does not match the model in the path'],
  ])('is rejected as a batch by the name of the field: %j', (body, message) => {
    expect(errorOf(parse.batch(body))).toContain(message);
  });
});

describe('for an upstream of the same protocol', () => {
  it('the bytes of one stay except for the model, which need not be named', () => {
    const text = '{ "content": {"parts":[ {"text":"caf\\u00e9"} ]}, "taskType":"RETRIEVAL_QUERY","new":1.0 }';
    const call = callOf(accepted(parse.single(text)), 'gemini-embeddings');
    expect(call).toMatchObject({ path: '/models/upstream-name:embedContent', text, warnings: [] });
    const named = text.replace('"new"', '"model": "models/m", "new"');
    expect(callOf(accepted(parse.single(named)), 'gemini-embeddings').text).toBe(
      named.replace('models/m', 'models/upstream-name'),
    );
  });

  it('the bytes of a batch stay except for the models, which must be named', () => {
    const text =
      '{"requests": [{"model":"models/m", "content":{"parts":[{"text":"a]"}]}},{"content": {"parts":[{"text":"b"}]}} ]}';
    const call = callOf(accepted(parse.batch(text)), 'gemini-embeddings', 'models/up');
    expect(call.path).toBe('/models/up:batchEmbedContents');
    expect(call.text).toBe(
      '{"requests": [{"model":"models/up", "content":{"parts":[{"text":"a]"}]}},{"content": {"parts":[{"text":"b"}]},"model":"models/up"} ]}',
    );
  });

  it('the response’s bytes stay except for the cost', () => {
    const one = '{"embedding": {"values": [0.10, -2e-3]}, "usageMetadata": {"promptTokenCount": 5}}';
    const single = responseOf(accepted(parse.single({ content: hello })), 'gemini-embeddings', one);
    expect(single.text).toBe(one.replace('5}', '5,"cost":0.00012}'));
    expect(single.usage).toMatchObject({ input: 5 });
    const many = '{"embeddings":[{"values":[1.0]}]}';
    const batch = responseOf(
      accepted(parse.batch({ requests: [{ content: hello }] })),
      'gemini-embeddings',
      many,
      charged(2, true),
    );
    expect(batch.text).toBe(
      '{"embeddings":[{"values":[1.0]}],"usageMetadata":{"promptTokenCount":2,"totalTokenCount":2,"cost":0.00012}}',
    );
    expect(batch.usage).toBeUndefined();
  });

  it('an error with a success status is an error, and a response to another call malformed', () => {
    const { responseTransformer } = accepted(parse.single({ content: hello }));
    const bodies = ['{"error":{"message":"no"}}', '{"embeddings":[{"values":[1]}]}', '{"embedding":[]}', '[]', ''];
    expect(
      bodies.map((body) => responseTransformer('gemini-embeddings', CONTEXT).transform(Buffer.from(body)).kind),
    ).toEqual(['error', ...bodies.slice(1).map(() => 'malformed')]);
  });
});

describe('for OpenAI', () => {
  it('is one call with all inputs, with one warning for each unsupported field', () => {
    const element = { content: hello, taskType: 'CLUSTERING', title: 't', outputDimensionality: 8, fresh: true };
    const call = callOf(accepted(parse.batch({ requests: [element, element] })), 'openai-embeddings');
    expect(call).toEqual({
      path: '/embeddings',
      text: expect.any(String),
      body: { model: 'upstream-name', input: ['Hello', 'Hello'], dimensions: 8, encoding_format: 'float' },
      warnings: ['fresh', 'taskType', 'title'].map(
        (name) => `requests[0].${name}: not passed on to this model's provider`,
      ),
    });
  });

  it('joins parts by line breaks, with a warning', () => {
    const call = callOf(
      accepted(parse.single({ content: { parts: [{ text: 'a' }, { text: 'b' }] } })),
      'openai-embeddings',
    );
    expect(call.body).toMatchObject({ input: ['a\nb'] });
    expect(call.warnings).toEqual(["content.parts: joined by line breaks for this model's provider"]);
  });

  it('rejects vectors of different lengths', () => {
    const requests = [{ content: hello, outputDimensionality: 8 }, { content: hello }];
    const call = accepted(parse.batch({ requests })).upstreamRequest('openai-embeddings', 'up');
    expect(call).toMatchObject({ ok: false, error: { path: 'requests[1].content' } });
  });

  it('encodes the response in Gemini’s shape, in the order of the inputs', () => {
    const data = [
      { index: 1, embedding: [0.5] },
      { index: 0, embedding: 'AACAPw==' },
    ];
    const body = { data, usage: { prompt_tokens: 4, total_tokens: 4 } };
    const batch = accepted(parse.batch({ requests: [{ content: hello }, { content: hello }] }));
    expect(responseOf(batch, 'openai-embeddings', body).value).toEqual({
      embeddings: [{ values: [1] }, { values: [0.5] }],
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5, cost: 0.00012 },
    });
    const single = accepted(parse.single({ content: hello }));
    expect(responseOf(single, 'openai-embeddings', { data: [{ embedding: [2] }] }).value).toMatchObject({
      embedding: { values: [2] },
    });
  });

  it('rejects a response with a repeated index or an input without a vector', () => {
    const { responseTransformer } = accepted(parse.batch({ requests: [{ content: hello }, { content: hello }] }));
    const vector = { index: 0, embedding: [1] };
    for (const data of [
      [vector, vector],
      [vector],
      [],
      [vector, { index: 1 }],
      [vector, { index: 7, embedding: [1] }],
    ]) {
      const result = responseTransformer('openai-embeddings', CONTEXT).transform(Buffer.from(JSON.stringify({ data })));
      expect(result.kind).toBe('malformed');
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: () => undefined });
});
afterAll(() => simulator.stop(0));

async function call(path: string, body: object): Promise<{ status: number; json: unknown }> {
  const response = await fetch(simulator.url + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, json: await response.json() };
}

describe('POST /v1/embeddings', () => {
  it('returns a vector for each input that depends only on it, and counts them', async () => {
    const both = await call('/v1/embeddings', { model: 'm', input: ['abcd', 'efghi'], dimensions: 3 });
    const one = await call('/v1/embeddings', { model: 'm', input: 'efghi', dimensions: 3 });
    expect(both).toMatchObject({
      status: 200,
      json: {
        object: 'list',
        data: [{ index: 0 }, { index: 1 }],
        model: 'm',
        usage: { prompt_tokens: 6, total_tokens: 6 },
      },
    });
    const vectors = [both, one].map(({ json }) => JSON.stringify(json).match(/"embedding":(\[[^\]]*\])/g));
    expect(vectors[0]?.[1]).toBe(vectors[1]?.[0]);
    expect(vectors[0]?.[0]).not.toBe(vectors[0]?.[1]);
  });

  it('encodes vectors as base64 if requested', async () => {
    const floats = await call('/v1/embeddings', { model: 'm', input: [1, 2], dimensions: 2 });
    const coded = await call('/v1/embeddings', { model: 'm', input: [1, 2], dimensions: 2, encoding_format: 'base64' });
    const text = JSON.stringify(coded.json).match(/"embedding":"([^"]*)"/)?.[1] ?? '';
    const bytes = Buffer.from(text, 'base64');
    expect(floats.json).toMatchObject({ data: [{ embedding: [bytes.readFloatLE(0), bytes.readFloatLE(4)] }] });
  });

  it.each([
    [{ model: 'm', input: '' }, 'input'],
    [{ model: 'm', input: 'x', dimensions: 0 }, 'dimensions'],
    [{ model: 'm', input: 'x', unknown: 1 }, 'unknown'],
    [{ model: 'm', input: 'x', simulate: { colour: 1 } }, 'simulate'],
  ])('refuses %j', async (body, param) => {
    expect(await call('/v1/embeddings', body)).toMatchObject({ status: 400, json: { error: { param } } });
  });
});

describe('POST /v1beta/models/{model}', () => {
  const content = { parts: [{ text: 'abcd' }] };

  it('returns the same for one and for a batch', async () => {
    const one = await call('/v1beta/models/m:embedContent', { content, outputDimensionality: 2 });
    const batch = await call('/v1beta/models/m:batchEmbedContents', {
      requests: [{ model: 'models/m', content, outputDimensionality: 2 }],
    });
    expect(one).toMatchObject({ status: 200, json: { usageMetadata: { promptTokenCount: 4 } } });
    const [embedding, embeddings] = [one, batch].map(({ json }) => JSON.stringify(json).match(/\[-?[0-9.,e-]*\]/)?.[0]);
    expect(embedding).toBe(embeddings);
  });

  it.each([
    ['embedContent', { content: 'abcd' }],
    ['embedContent', { content, model: 'models/other' }],
    ['batchEmbedContents', { requests: [{ content }] }],
    ['batchEmbedContents', { requests: Array.from({ length: 101 }, () => ({ model: 'models/m', content })) }],
    ['embedContent', { content, taskType: 'OTHER' }],
  ])('refuses as Google does: %s', async (method, body) => {
    expect(await call(`/v1beta/models/m:${method}`, body)).toMatchObject({
      status: 400,
      json: { error: { code: 400, status: 'INVALID_ARGUMENT' } },
    });
  });

  it('fails as controlled, by a field or a text', async () => {
    const fail = { simulate: { fail: 429 } };
    const parts = [{ text: `a [simulate ${JSON.stringify(fail.simulate)}]` }];
    for (const body of [{ content, ...fail }, { content: { parts } }]) {
      expect(await call('/v1beta/models/m:embedContent', body)).toMatchObject({
        status: 429,
        json: { error: { status: 'RESOURCE_EXHAUSTED' } },
      });
    }
  });
});

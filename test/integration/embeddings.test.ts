import { GoogleGenAI } from '@google/genai';
import { vectorOf } from '@tollgate/simulator/embeddings/vector';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES, UPSTREAM_NAME } from '@tollgate/test-support/gateway/catalogue';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, spelledNumber, textAt } from '@tollgate/test-support/gateway/json';
import { dollars, lineNanos } from '@tollgate/test-support/gateway/money';
import { describe, expect, it } from 'vitest';
import { expectModelError, UUID_V7, VALID_UUID } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const MODELS = ['embed-openai', 'embed-gemini'];
const DOLLAR = 1_000_000_000n;
let gateway: Gateway;
let account: Account;
let genai: GoogleGenAI;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(20n * DOLLAR);
  genai = new GoogleGenAI({ apiKey: account.key, httpOptions: { baseUrl: gateway.baseUrl } });
});

function post(path: string, body: object | string, key = account.key): Promise<WireResponse> {
  return gateway.send({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function content(text: string): object {
  return { parts: [{ text }] };
}

/** The body of the provider's only call for a response. */
function sentFor(response: WireResponse): { path: string; body: string } {
  const calls = gateway.simulator.recorder.list(textAt(response.headers, 'x-trace-id').replaceAll('-', ''));
  expect(calls).toHaveLength(1);
  return { path: calls[0]?.path ?? '', body: calls[0]?.body ?? '' };
}

/** A text's tokens at the simulated provider, and its overhead per request. */
const tokensOf = (...texts: string[]) => texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 3);

describe.each(MODELS)('%s', (model) => {
  it('embeds for OpenAI’s SDK, in base64, in floats, and in the requested length', async () => {
    const client = gateway.openai(account.key);
    const buffered = await client.embeddings.create({ model, input: ['Hello', 'there'] });
    expect(buffered).toMatchObject({ object: 'list', model, usage: { prompt_tokens: 7, total_tokens: 7 } });
    expect(buffered.data.map(({ embedding, index }) => ({ embedding: [...embedding], index }))).toEqual(
      ['Hello', 'there'].map((text, index) => ({ embedding: vectorOf(text, 16), index })),
    );
    const short = await client.embeddings.create({ model, input: 'Hello', dimensions: 4, encoding_format: 'float' });
    expect(short.data[0]?.embedding).toEqual(vectorOf('Hello', 4));
  });

  it('embeds for Google’s SDK', async () => {
    const response = await genai.models.embedContent({
      model,
      contents: ['Hello', 'there'],
      config: { outputDimensionality: 4 },
    });
    expect(response.embeddings).toEqual(['Hello', 'there'].map((text) => ({ values: vectorOf(text, 4) })));
    expect(response.usageMetadata).toMatchObject({ promptTokenCount: 7 });
  });

  it.each([
    ['/v1/embeddings', { model, input: ['Hello'] }, ['usage', 'cost']],
    ['/embeddings', { model, input: ['Hello'], encoding_format: 'base64' }, ['usage', 'cost']],
    [`/v1beta/models/${model}:embedContent`, { content: content('Hello') }, ['usageMetadata', 'cost']],
    [`/v1/models/${model}:embedContent`, { content: content('Hello') }, ['usageMetadata', 'cost']],
    [
      `/v1beta/models/${model}:batchEmbedContents`,
      { requests: [{ model: `models/${model}`, content: content('Hello') }] },
      ['usageMetadata', 'cost'],
    ],
  ])('costs the same through %s, once, and reports it', async (path, body, where) => {
    const payer = await gateway.accounts.create(DOLLAR);
    const response = await post(path, body, payer.key);
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    const cost = lineNanos(tokensOf('Hello'), RATES.embedding.input);
    expect(spelledNumber(response.text, 'cost')).toBe(dollars(cost));
    expect(at(response.json, ...where)).toBe(Number(dollars(cost)));
    expect(response.headers['x-request-cost']).toBe(dollars(cost));
    expect(response.headers['x-trace-id']).toMatch(VALID_UUID);
    expect(response.headers['x-request-id']).toMatch(UUID_V7);
    const record = await recordOf(gateway, payer, response.headers['x-request-id']);
    expect(record).toMatchObject({
      model,
      status: 'completed',
      streamed: false,
      protocol_in: path.includes('Embed') || path.includes('embedContent') ? 'gemini-embeddings' : 'openai-embeddings',
      usage: { input: 5 },
      usage_estimated: false,
      lines: [{ bucket: 'input', quantity: 5, rate_per_million: '0.13', amount: dollars(cost) }],
    });
    expect(costOf(record)).toBe(cost);
    expect(await balanceOf(gateway, payer)).toBe(DOLLAR - cost);
  });

  it.each(['omit', 'zero'])('is counted here when the provider reports no usage: %s', async (usage) => {
    const input = `[simulate ${JSON.stringify({ usage })}] the quick brown fox`;
    const response = await post('/v1/embeddings', { model, input });
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    const counted = Number(at(record, 'usage', 'input'));
    expect(record).toMatchObject({ status: 'completed', usage_estimated: true });
    expect(counted).toBeGreaterThan(5);
    expect(at(response.json, 'usage')).toMatchObject({ prompt_tokens: counted, total_tokens: counted });
    expect(response.headers['x-request-cost']).toBe(dollars(lineNanos(counted, RATES.embedding.input)));
  });

  it.each([
    [{ fail: 500 }, 502, 'internal_error'],
    [{ fail: 'garbage' }, 502, 'internal_error'],
    [{ fail: 401 }, 502, 'internal_error'],
    [{ fail: 400 }, 400, 'invalid_request_error'],
    [{ fail: 429 }, 429, 'rate_limit_exceeded'],
  ])('costs nothing when the provider fails: %j', async (controls, status, type) => {
    const payer = await gateway.accounts.create(DOLLAR);
    const text = `[simulate ${JSON.stringify(controls)}]`;
    expectModelError(await post('/v1/embeddings', { model, input: text }, payer.key), { status, type });
    const path = `/v1beta/models/${model}:embedContent`;
    const response = await post(path, { content: content(text) }, payer.key);
    expectModelError(response, { status, type, surface: 'generative' });
    expect(await recordOf(gateway, payer, response.headers['x-request-id'])).toMatchObject({
      status: 'failed',
      cost: '0',
      usage: {},
    });
    expect(await balanceOf(gateway, payer)).toBe(DOLLAR);
  });

  it('is rejected for lack of balance, with the status of each path', async () => {
    const poor = await gateway.accounts.create(1n);
    const paths = [
      ['/v1/embeddings', { model, input: 'Hello' }, 400],
      [`/v1beta/models/${model}:embedContent`, { content: content('Hello') }, 402],
      [
        `/v1beta/models/${model}:batchEmbedContents`,
        { requests: [{ model: `models/${model}`, content: content('Hello') }] },
        402,
      ],
    ] as const;
    for (const [path, body, status] of paths) {
      const response = await post(path, body, poor.key);
      expect(response.status).toBe(status);
      expect(response.json).toMatchObject({
        error: {
          type: 'insufficient_balance',
          code: status,
          message: expect.stringContaining('send a smaller request'),
          details: {
            recharge_url: expect.stringMatching(/^https?:/),
            limit: { scope: 'account', id: poor.accountId, window: null },
          },
        },
      });
    }
  });

  it.each([
    ['/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] }],
    ['/v1/responses', { model, input: 'Hello' }],
    ['/v1/messages', { model, max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }],
    [`/v1beta/models/${model}:generateContent`, { contents: [content('Hello')] }],
  ])('generates nothing at %s', async (path, body) => {
    const response = await post(path, body);
    expect(response.json).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining(`'${model}' only creates embeddings`) },
    });
  });
});

describe('a request', () => {
  it.each([
    ['/v1/embeddings', { model: 'small', input: 'x' }, 'invalid_request_error', "'small' generates text"],
    ['/v1/embeddings', { model: 'nowhere', input: 'x' }, 'model_not_available', 'nowhere'],
    ['/v1/embeddings', { model: 'embed-openai', input: '' }, 'invalid_request_error', 'input: must not be empty.'],
    [
      '/v1/embeddings',
      { model: 'embed-gemini', input: [1, 2] },
      'invalid_request_error',
      "input: this model's provider does not accept tokens; send the text (LangChain for Python: check_embedding_ctx_length=False).",
    ],
    ['/v1/embeddings', '{"model":"embed-openai"', 'invalid_request_error', 'malformed JSON'],
  ])('is refused by name at %s: %j', async (path, body, type, message) => {
    const calls = gateway.simulator.recorder.stats.calls;
    expectModelError(await post(path, body), { status: 400, type, message });
    expect(gateway.simulator.recorder.stats.calls).toBe(calls);
  });

  it.each([
    ['small', { content: content('x') }, 'invalid_request_error', "'small' generates text"],
    ['embed-openai', { content: { parts: [{ inlineData: {} }] } }, 'invalid_request_error', 'inlineData: only text'],
    [
      'embed-openai',
      { content: content('x'), model: 'models/small' },
      'invalid_request_error',
      'model: does not match',
    ],
    ['nowhere', { content: content('x') }, 'model_not_available', 'nowhere'],
  ])('is refused by name at %s:embedContent: %j', async (model, body, type, message) => {
    const response = await post(`/v1beta/models/${model}:embedContent`, body);
    expectModelError(response, { status: 400, type, message, surface: 'generative' });
  });

  it('is rejected without a key, and with one that may not call the model', async () => {
    const restricted = await gateway.accounts.createKey(account.accountId, { allowedModels: ['small'] });
    const refused = await post('/v1/embeddings', { model: 'embed-openai', input: 'x' }, restricted.key);
    expectModelError(refused, { status: 400, type: 'model_not_supported' });
    const google = { 'x-goog-api-key': account.key, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'embed-openai', input: 'x' });
    const wrong = await gateway.send({ method: 'POST', path: '/v1/embeddings', headers: google, body });
    expectModelError(wrong, { status: 401, type: 'missing_auth_credential' });
  });

  it('accepts Google’s header on Google’s paths', async () => {
    const headers = { 'x-goog-api-key': account.key, 'content-type': 'application/json' };
    const body = JSON.stringify({ content: content('Hello') });
    for (const path of ['/v1beta/models/embed-openai:embedContent', '/v1/models/vendor/embed:small:embedContent']) {
      expect(await gateway.send({ method: 'POST', path, headers, body })).toMatchObject({ status: 200 });
    }
  });

  it('reaches a provider of the same protocol unchanged, except for the model', async () => {
    const openai = '{ "x_new":[1.0, {}], "input":"caf\\u00e9","model":"vendor/embed:small" }';
    const first = await post('/v1/embeddings', openai);
    expect(sentFor(first)).toEqual({
      path: '/v1/embeddings',
      body: openai.replace('vendor/embed:small', UPSTREAM_NAME),
    });
    expect(at(first.json, 'model')).toBe('vendor/embed:small');
    const gemini = '{"requests":[ {"model":"models/embed-gemini","content": {"parts":[{"text":"caf\\u00e9"}]}} ]}';
    const second = await post('/v1beta/models/embed-gemini:batchEmbedContents', gemini);
    expect(sentFor(second)).toEqual({
      path: `/v1beta/models/${UPSTREAM_NAME}:batchEmbedContents`,
      body: gemini.replace('embed-gemini', UPSTREAM_NAME),
    });
  });

  it('reports dropped fields in a header', async () => {
    const headers = [
      await post('/v1/embeddings', { model: 'embed-gemini', input: 'x', user: 'u' }),
      await post('/v1beta/models/embed-openai:embedContent', { content: content('x'), taskType: 'CLUSTERING' }),
      await post('/v1beta/models/embed-gemini:embedContent', { content: content('x'), taskType: 'CLUSTERING' }),
    ].map((response) => response.headers['x-tollgate-warnings']);
    expect(headers).toEqual([
      expect.stringMatching(/^user: not passed on/),
      expect.stringMatching(/^taskType: not passed on/),
      undefined,
    ]);
  });

  it('fails over to another deployment', async () => {
    const response = await post('/v1/embeddings', { model: 'embed-fallback', input: 'Hello' });
    expect(response.status).toBe(200);
    expect(await recordOf(gateway, account, response.headers['x-request-id'])).toMatchObject({
      deployment: 'embed-alive',
      status: 'completed',
    });
  });

  it('accepts as many inputs as OpenAI', async () => {
    const input = Array.from({ length: 2_048 }, (_, index) => `input ${index}`);
    const response = await gateway.openai(account.key).embeddings.create({ model: 'embed-openai', input });
    expect(response.data).toHaveLength(2_048);
    expect([...(response.data[2_047]?.embedding ?? [])]).toEqual(vectorOf('input 2047', 16));
  });
});

import { GoogleGenAI, type Model } from '@google/genai';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(0n);
});

function clientOf(key: string): GoogleGenAI {
  // The SDK's default is /v1, where the model list is OpenAI's.
  return new GoogleGenAI({ apiKey: key, apiVersion: 'v1beta', httpOptions: { baseUrl: gateway.baseUrl } });
}

function get(path: string, key = account.key): Promise<WireResponse> {
  return gateway.send({ path, headers: { 'x-goog-api-key': key } });
}

async function namesOf(pages: AsyncIterable<Model>): Promise<string[]> {
  const names: string[] = [];
  for await (const model of pages) names.push(model.name ?? '');
  return names;
}

describe('GET /v1beta/models', () => {
  it('lists the callable models for Google’s SDK', async () => {
    const names = await namesOf(await clientOf(account.key).models.list());
    expect(names).toEqual(expect.arrayContaining(['models/small', 'models/vendor/tricky:name', 'models/embed-gemini']));
    expect(names).not.toContain('models/switched-off');
    expect(names).not.toContain('models/chat-only');
  });

  it('lists only the models of a restricted key', async () => {
    const allowedModels = ['odd', 'switched-off', 'embed-openai'];
    const restricted = await gateway.accounts.createKey(account.accountId, { allowedModels });
    expect(await namesOf(await clientOf(restricted.key).models.list())).toEqual(['models/odd', 'models/embed-openai']);
  });

  it('has all fields of Google’s format', async () => {
    const response = await get('/v1beta/models');
    const models = listAt(response.json, 'models');
    expect(at(response.json, 'nextPageToken')).toBeUndefined();
    expect(models.find((model) => at(model, 'name') === 'models/small')).toEqual({
      name: 'models/small',
      baseModelId: 'small',
      version: '2025-01-01',
      displayName: 'small',
      description: 'By tests. Its responses are simulated.',
      inputTokenLimit: 128_000,
      outputTokenLimit: 16_384,
      supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    });
    expect(models.find((model) => at(model, 'name') === 'models/odd')).toMatchObject({
      description: 'For sums that do not divide. Its responses are simulated.',
    });
    expect(models.find((model) => at(model, 'name') === 'models/embed-openai')).toMatchObject({
      inputTokenLimit: 8_191,
      supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
    });
  });

  it('supports paging, with each model once', async () => {
    const buffered = listAt((await get('/v1beta/models')).json, 'models').map((model) => at(model, 'name'));
    const paged = await namesOf(await clientOf(account.key).models.list({ config: { pageSize: 7 } }));
    expect(paged).toEqual(buffered);
    const first = await get('/v1beta/models?pageSize=7');
    expect(listAt(first.json, 'models')).toHaveLength(7);
    expect(at(first.json, 'nextPageToken')).toBe(buffered[6]);
  });

  it.each(['pageSize=-1', 'pageSize=many', 'pageToken=nowhere', 'pageSize=1.5'])('refuses %s', async (query) => {
    const message = query.split('=')[0] ?? '';
    const expected = { status: 400, type: 'invalid_request_error', message, surface: 'generative' as const };
    expectModelError(await get(`/v1beta/models?${query}`), expected);
  });
});

describe('GET /v1beta/models/{model}', () => {
  it.each(['small', 'models/small', 'small-latest', 'vendor/tricky:name', 'embed-gemini'])(
    'gives %s',
    async (model) => {
      const found = await clientOf(account.key).models.get({ model });
      const id = model === 'small-latest' ? 'small' : model.replace('models/', '');
      expect(found).toMatchObject({ name: `models/${id}`, displayName: id });
    },
  );

  it('returns the documented errors for unknown and disabled models', async () => {
    for (const id of ['nowhere', 'switched-off', 'models/nowhere']) {
      const expected = { status: 400, type: 'model_not_available', surface: 'generative' as const };
      expectModelError(await get(`/v1beta/models/${id}`), expected);
    }
  });
});

describe('GET /v1/models', () => {
  it('marks embedding models', async () => {
    const response = await get('/v1/models', account.key);
    expectModelError(response, { status: 401, type: 'missing_auth_credential' });
    const models = await gateway.send({ path: '/v1/models', headers: { authorization: `Bearer ${account.key}` } });
    expect(listAt(models.json, 'data').find((model) => at(model, 'id') === 'embed-openai')).toMatchObject({
      protocols: [],
      output_modalities: ['embedding'],
      context_window: 8_191,
      max_output_tokens: 0,
      pricing: { per_million: { input: '0.13' } },
    });
  });
});

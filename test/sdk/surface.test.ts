import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Driver, PROTOCOLS, type ProtocolName, type Target } from './scenario.ts';
import { EMBEDDING_MODELS, modelOn } from './support/catalogue.ts';
import { Drivers } from './support/drivers.ts';
import { type SimulatedGateway, startSimulatedGateway } from './support/gateway.ts';
import { user } from './support/messages.ts';

let gateway: SimulatedGateway;
let drivers: Drivers;

beforeAll(async () => {
  gateway = await startSimulatedGateway();
  drivers = await Drivers.start();
}, 240_000);

afterAll(async () => {
  await drivers?.stop();
  await gateway?.stop();
});

const target = (fields: Partial<Target> = {}): Target => ({
  baseUrl: gateway.baseUrl,
  key: gateway.account.key,
  ...fields,
});
const hello = { model: modelOn('openai-chat'), stream: false, turns: [user('Hello.', { text: 'Hi.' })] };
const IDS: readonly string[] = PROTOCOLS.map(modelOn);

/** As each SDK's documentation shows it: `openai` takes a base with the version, the others an origin. */
const BASES: readonly { protocol: ProtocolName; suffix: string; apiVersion?: string; asBearer?: true }[] = [
  ...['', '/', '/v1', '/v1/'].flatMap((suffix) => [
    { protocol: 'openai-chat' as const, suffix },
    { protocol: 'openai-responses' as const, suffix },
  ]),
  { protocol: 'anthropic-messages', suffix: '' },
  { protocol: 'anthropic-messages', suffix: '/' },
  { protocol: 'anthropic-messages', suffix: '', asBearer: true },
  { protocol: 'gemini', suffix: '' },
  { protocol: 'gemini', suffix: '/' },
  { protocol: 'gemini', suffix: '', apiVersion: 'v1beta' },
  { protocol: 'gemini', suffix: '', apiVersion: 'v1' },
];

describe.each(['JavaScript', 'Python'] as const)('%s', (language) => {
  const driver = (protocol: ProtocolName): Driver => drivers.get(language, protocol);

  describe('the base URL', () => {
    it.each(BASES)('$protocol: {base_url}$suffix $apiVersion', async ({ protocol, suffix, ...fields }) => {
      const based = target({ ...fields, baseUrl: `${gateway.baseUrl}${suffix}` });
      for (const stream of [false, true]) {
        const response = await driver(protocol).ask(based, { ...hello, stream });
        expect(response).toMatchObject({ error: null, text: 'Hi.' });
      }
    });
  });

  describe('models', () => {
    it.each(['openai-chat', 'anthropic-messages'] as const)('are listed and found by %s', async (protocol) => {
      const listed = await driver(protocol).other(target(), { call: 'models' });
      expect(listed.error).toBeNull();
      expect(listed.models).toEqual(expect.arrayContaining([...IDS]));
      const found = await driver(protocol).other(target(), { call: 'model', model: modelOn('gemini') });
      expect(found).toMatchObject({ error: null, models: [modelOn('gemini')] });
      const missing = await driver(protocol).other(target(), { call: 'model', model: 'no-such-model' });
      expect(missing.error).toMatchObject({ status: 400, reported: expect.stringContaining('model_not_available') });
    });

    it('are listed and found by gemini under v1beta', async () => {
      const beta = target({ apiVersion: 'v1beta' });
      const listed = await driver('gemini').other(beta, { call: 'models' });
      expect(listed.error).toBeNull();
      expect(listed.models).toEqual(expect.arrayContaining(IDS.map((id) => `models/${id}`)));
      const found = await driver('gemini').other(beta, { call: 'model', model: modelOn('openai-chat') });
      expect(found).toMatchObject({ error: null, models: [`models/${modelOn('openai-chat')}`] });
    });

    // The contract: `GET /v1/models` is no generative-native endpoint, so x-goog-api-key alone is no credential there.
    it('are not listed by gemini under v1, for lack of a credential', async () => {
      const listed = await driver('gemini').other(target({ apiVersion: 'v1' }), { call: 'models' });
      expect(listed.error).toMatchObject({ status: 401, reported: expect.stringContaining('missing_auth_credential') });
    });
  });

  describe.each(PROTOCOLS)('errors reach a client of %s', (protocol) => {
    it('a wrong key', async () => {
      const { key } = gateway.account;
      const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
      // Anthropic's SDK sends its API key as a bearer token too.
      const type = protocol === 'gemini' ? 'invalid_api_key' : 'invalid_bearer_token';
      for (const stream of [false, true]) {
        const response = await driver(protocol).ask(target({ key: wrong }), { ...hello, stream });
        expect(response.error).toMatchObject({ status: 401, reported: expect.stringContaining(type) });
      }
    });

    it('an unknown model', async () => {
      for (const stream of [false, true]) {
        const response = await driver(protocol).ask(target(), { ...hello, model: 'no-such-model', stream });
        expect(response.error).toMatchObject({ status: 400, reported: expect.stringContaining('model_not_available') });
      }
    });

    it('an account without credit', async () => {
      const poor = await gateway.accounts.create(0n);
      // The contract's table: 402 on the native endpoints, 400 on those of OpenAI's protocols.
      const status = protocol.startsWith('openai') ? 400 : 402;
      for (const stream of [false, true]) {
        const response = await driver(protocol).ask(target({ key: poor.key }), { ...hello, stream });
        expect(response.error).toMatchObject({ status, reported: expect.stringContaining('insufficient_balance') });
        expect(response.error?.reported).toContain('recharge_url');
      }
    });
  });

  describe.each(['openai-chat', 'gemini'] as const)('embeddings by %s', (protocol) => {
    it.each(EMBEDDING_MODELS)('of $model', async ({ model }) => {
      const texts = ['One text.', 'Another one.'];
      const made = await driver(protocol).other(target(), { call: 'embed', model, texts });
      expect(made.error).toBeNull();
      expect(made.embeddings).toHaveLength(2);
      expect(made.embeddings[0]).not.toEqual(made.embeddings[1]);
      const [first] = (await driver(protocol).other(target(), { call: 'embed', model, texts: ['One text.'] }))
        .embeddings;
      expect(first).toEqual(made.embeddings[0]);
      for (const value of first ?? []) expect(Number.isFinite(value)).toBe(true);
    });

    it('of a length that was asked for', async () => {
      const [small] = EMBEDDING_MODELS;
      const made = await driver(protocol).other(target(), {
        call: 'embed',
        model: small.model,
        texts: ['One text.'],
        dimensions: 8,
      });
      expect(made.error).toBeNull();
      expect(made.embeddings[0]).toHaveLength(8);
    });
  });
});

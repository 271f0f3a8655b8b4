import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf } from '@tollgate/test-support/gateway/billing';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { send } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(BALANCE);
});

const BALANCE = 1_000_000_000n;

const TEXT = 'How many tokens are in this sentence, which is neither long nor short?';
/** The sentence has 15 tokens. Chat completions add 4 to each message and 3 to the prompt. */
const ESTIMATE = 15 + 4 + 3;
const PER_MINUTE = 600;
const BURST = 100;

type Count = (model: string, key?: string) => Promise<number | undefined>;

const COUNTS: Record<string, Count> = {
  'openai-responses': async (model, key = account.key) =>
    (await gateway.openai(key).responses.inputTokens.count({ model, input: TEXT })).input_tokens,
  'anthropic-messages': async (model, key = account.key) => {
    const client = new Anthropic({ apiKey: key, baseURL: gateway.baseUrl });
    return (await client.messages.countTokens({ model, messages: [{ role: 'user', content: TEXT }] })).input_tokens;
  },
  gemini: async (model, key = account.key) => {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.baseUrl } });
    return (await client.models.countTokens({ model, contents: TEXT })).totalTokens;
  },
};

describe.each(Object.entries(COUNTS))('counting through %s', (_protocol, count) => {
  it.each(UPSTREAM_PROTOCOLS)(
    'asks a provider of %s where it counts, else a tokenizer; for nothing',
    async (upstream) => {
      const tokens = await count(`via-${upstream}`);
      const call = gateway.simulator.recorder.list().at(-1);
      if (upstream === 'openai-chat') {
        expect(tokens).toBe(ESTIMATE);
      } else {
        expect(call?.path).toMatch(/input_tokens|count_tokens|countTokens/);
        // The simulated providers count alike.
        expect(tokens).toBe(Math.ceil(Buffer.byteLength(TEXT) / 4) + 4 + 3);
      }
      expect(await balanceOf(gateway, account)).toBe(BALANCE);
    },
  );

  it('estimates without credit, and asks the provider once there is some', async () => {
    const poor = await gateway.accounts.create(0n);
    const { stats } = gateway.simulator.recorder;
    const calls = stats.calls;
    expect(await count('via-anthropic-messages', poor.key)).toBe(ESTIMATE);
    expect(stats.calls).toBe(calls);
    await gateway.accounts.deposit(poor.accountId, BALANCE);
    expect(await count('via-anthropic-messages', poor.key)).not.toBe(ESTIMATE);
    expect(stats.calls).toBe(calls + 1);
  });
});

it('asks providers only so often for one account, at all servers together, and estimates beyond', async () => {
  const { key } = await gateway.accounts.create(BALANCE);
  const { stats } = gateway.simulator.recorder;
  const calls = stats.calls;
  const startedAt = performance.now();
  const responses = await Promise.all(
    Array.from({ length: 2 * BURST }, (_, index) =>
      send(gateway.stack.facts.base_urls[index % 2] ?? '', {
        method: 'POST',
        path: '/v1/messages/count_tokens',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ model: 'via-anthropic-messages', messages: [{ role: 'user', content: TEXT }] }),
      }),
    ),
  );
  const refilled = Math.ceil(((performance.now() - startedAt) / 60_000) * PER_MINUTE);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const asked = stats.calls - calls;
  expect(asked).toBeGreaterThanOrEqual(BURST);
  expect(asked).toBeLessThanOrEqual(BURST + refilled);
  const warned = responses.filter(({ headers }) => headers['x-tollgate-warnings']?.includes('600 counts per minute'));
  expect(warned).toHaveLength(2 * BURST - asked);
});

it('marks estimates', async () => {
  const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: TEXT }] }] });
  const headers = { 'content-type': 'application/json', 'x-goog-api-key': account.key };
  const ask = (model: string) =>
    gateway.send({ method: 'POST', path: `/v1beta/models/${model}:countTokens`, headers, body });
  expect((await ask('via-openai-chat')).headers['x-tollgate-warnings']).toContain('an estimate');
  expect((await ask('via-gemini')).headers['x-tollgate-warnings']).toBeUndefined();
});

describe('a result of a tool without its call', () => {
  const OUTPUT = 'Sunny, 20 degrees, wind from the west.';

  it.each(UPSTREAM_PROTOCOLS)('is counted by Google’s call for a model of %s', async (upstream) => {
    const part = { functionResponse: { name: 'weather', response: { output: OUTPUT } } };
    const response = await gateway.send({
      method: 'POST',
      path: `/v1beta/models/via-${upstream}:countTokens`,
      headers: { 'content-type': 'application/json', 'x-goog-api-key': account.key },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [part] }] }),
    });
    expect(response.status).toBe(200);
    expect(at(response.json, 'totalTokens')).toBeGreaterThanOrEqual(8);
  });

  it.each(UPSTREAM_PROTOCOLS)('is counted by Anthropic’s call for a model of %s', async (upstream) => {
    const content = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: OUTPUT }];
    const response = await gateway.send({
      method: 'POST',
      path: '/v1/messages/count_tokens',
      headers: { 'content-type': 'application/json', 'x-api-key': account.key },
      body: JSON.stringify({ model: `via-${upstream}`, messages: [{ role: 'user', content }] }),
    });
    expect(response.status).toBe(200);
    expect(at(response.json, 'input_tokens')).toBeGreaterThanOrEqual(8);
  });
});

it('counts at the root as under /v1', async () => {
  const headers = { 'content-type': 'application/json', 'x-api-key': account.key };
  const body = JSON.stringify({ model: 'via-anthropic-messages', messages: [{ role: 'user', content: TEXT }] });
  const [root, versioned] = await Promise.all(
    ['', '/v1'].map((prefix) =>
      gateway.send({ method: 'POST', path: `${prefix}/messages/count_tokens`, headers, body }),
    ),
  );
  expect(root?.status).toBe(200);
  expect(root?.json).toEqual(versioned?.json);
});

it('rejects what a call would reject', async () => {
  const headers = { 'content-type': 'application/json', 'x-api-key': account.key };
  const body = JSON.stringify({ model: 'no-such-model', messages: [{ role: 'user', content: 'Hi' }] });
  const response = await gateway.send({ method: 'POST', path: '/v1/messages/count_tokens', headers, body });
  expect(response.status).toBe(400);
  expect(at(response.json, 'error', 'type')).toBe('model_not_available');
});

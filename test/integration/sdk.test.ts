import { randomUUID } from 'node:crypto';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { at, listAt, spelledNumber } from '@tollgate/test-support/gateway/json';
import { lineNanos } from '@tollgate/test-support/gateway/money';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { UUID_V7, VALID_UUID } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const DOLLAR = 1_000_000_000n;
let gateway: Gateway;
let account: Account;
let client: OpenAI;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(20n * DOLLAR);
  client = gateway.openai(account.key);
});

async function idsOf(page: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const model of page) ids.push(model.id);
  return ids;
}

describe('models', () => {
  it('lists the callable models, with prices and limits', async () => {
    const models: unknown[] = [];
    for await (const model of client.models.list()) models.push(model);
    const ids = models.map((model) => at(model, 'id'));
    expect(ids).toEqual(expect.arrayContaining(['small', 'thinking', 'vendor/tricky:name']));
    expect(ids).not.toContain('switched-off');
    expect(models.find((model) => at(model, 'id') === 'small')).toMatchObject({
      object: 'model',
      owned_by: 'tests',
      created: 1_735_689_600,
      aliases: ['small-latest'],
      protocols: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'],
      context_window: 128_000,
      max_output_tokens: 16_384,
      pricing: { currency: 'USD', per_million: { input: '0.15', cache_read: '0.075', output: '0.6' } },
      simulated: true,
    });
  });

  it('lists only the models of a restricted key', async () => {
    const restricted = await gateway.accounts.createKey(account.accountId, { allowedModels: ['odd', 'switched-off'] });
    expect(await idsOf(gateway.openai(restricted.key).models.list())).toEqual(['odd']);
  });

  it.each(['small', 'small-latest', 'vendor/tricky:name'])('retrieves %s', async (id) => {
    const model = await client.models.retrieve(id);
    expect(model.object).toBe('model');
    expect(model.id).toBe(id === 'small-latest' ? 'small' : id);
  });

  it('returns the documented errors for unknown and disabled models', async () => {
    for (const id of ['no-such-model', 'switched-off']) {
      const error = await client.models.retrieve(id).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(at(error, 'type')).toMatch(/^model_not_(available|supported)$/);
    }
  });

  it('lists models and serves free calls with an empty account', async () => {
    const poor = await gateway.accounts.create(0n);
    expect(await idsOf(gateway.openai(poor.key).models.list())).toContain('small');
  });
});

describe('a chat completion', () => {
  it('is served, charged exactly, and can be looked up', async () => {
    const call = client.chat.completions.create({
      model: 'small',
      messages: say('12345678'),
      ...simulate({ output_tokens: 40 }),
    });
    const { data, response } = await call.withResponse();
    expect(data.model).toBe('small');
    expect(data.choices[0]?.message.content).toMatch(/.+/);
    expect(data.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 40, total_tokens: 49 });
    const requestId = response.headers.get('x-request-id');
    expect(requestId).toMatch(UUID_V7);
    expect(response.headers.get('x-trace-id')).toMatch(VALID_UUID);
    const cost = lineNanos(9, RATES.small.input) + lineNanos(40, RATES.small.output);
    const record = await recordOf(gateway, account, requestId);
    expect(costOf(record)).toBe(cost);
    expect(at(data, 'usage', 'cost')).toBe(Number(at(record, 'cost')));
    expect(response.headers.get('x-request-cost')).toBe(at(record, 'cost'));
    expect(at(record, 'trace_id')).toBe(response.headers.get('x-trace-id'));
  });

  it('has the exact cost in the body', async () => {
    const response = await gateway.chat(account.key, {
      model: 'small',
      messages: say('Hi'),
      ...simulate({ output_tokens: 1 }),
    });
    // 8 input tokens at 150 nano-dollars and one of output at 600.
    expect(response.headers['x-request-cost']).toBe('0.0000018');
    expect(spelledNumber(response.text, 'cost')).toBe('0.0000018');
  });

  it.each([
    { text: 'a'.repeat(5), output: 1, cost: 4n + 0n },
    { text: 'a'.repeat(13), output: 3, cost: 6n + 2n },
    { text: 'a'.repeat(9), output: 5, cost: 5n + 2n },
  ])('rounds each line half to even: $text.length bytes in, $output tokens out', async ({ text, output, cost }) => {
    const { data, response } = await client.chat.completions
      .create({ model: 'odd', messages: say(text), ...simulate({ output_tokens: output }) })
      .withResponse();
    const record = await recordOf(gateway, account, response.headers.get('x-request-id'));
    expect(costOf(record)).toBe(cost);
    expect(at(data, 'usage', 'cost')).toBe(Number(cost) / 1e9);
  });

  it('charges cached input and reasoning at their own rates', async () => {
    const { response } = await client.chat.completions
      .create({
        model: 'thinking',
        messages: say('x'.repeat(400)),
        ...simulate({ output_tokens: 30, reasoning_tokens: 70, cached_tokens: 60 }),
      })
      .withResponse();
    const record = await recordOf(gateway, account, response.headers.get('x-request-id'));
    expect(at(record, 'usage')).toEqual({ input: 47, cache_read: 60, output: 30, reasoning: 70 });
    const rates = RATES.thinking;
    const expected =
      lineNanos(47, rates.input) +
      lineNanos(60, rates.cache_read) +
      lineNanos(30, rates.output) +
      lineNanos(70, rates.reasoning);
    expect(costOf(record)).toBe(expected);
  });

  it('returns the alias in the response, and records the model', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'small-latest', messages: say('Hi') })
      .withResponse();
    expect(data.model).toBe('small-latest');
    expect(await recordOf(gateway, account, response.headers.get('x-request-id'))).toMatchObject({ model: 'small' });
  });

  it('returns tool calls', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }];
    const response = await client.chat.completions.create({
      model: 'small',
      messages: say('Weather?'),
      tools,
      tool_choice: 'required',
    });
    expect(response.choices[0]?.finish_reason).toBe('tool_calls');
    expect(response.choices[0]?.message.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'weather', arguments: '{"simulated":true}' } },
    ]);
  });

  it('returns the right response to each of many parallel requests, and charges each once', async () => {
    const own = await gateway.accounts.create(DOLLAR);
    const parallel = gateway.openai(own.key);
    const responses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const text = randomUUID();
        const { data, response } = await parallel.chat.completions
          .create({ model: 'small', messages: say('Hi'), max_tokens: 50, ...simulate({ text }) })
          .withResponse();
        expect(data.choices[0]?.message.content).toBe(text);
        return response.headers.get('x-request-id');
      }),
    );
    expect(new Set(responses).size).toBe(60);
    const records = await Promise.all(responses.map((id) => recordOf(gateway, own, id)));
    const spent = records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
    expect(await balanceOf(gateway, own)).toBe(DOLLAR - spent);
  });
});

describe('a stream', () => {
  it('without include_usage has no usage in any chunk, and is charged', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'small', messages: say('12345678'), stream: true, ...simulate({ output_tokens: 25 }) })
      .withResponse();
    const chunks: unknown[] = [];
    for await (const chunk of data) chunks.push(chunk);
    // The opening chunk with the role, the tokens, the finish reason.
    expect(chunks).toHaveLength(27);
    for (const chunk of chunks) {
      expect(chunk).not.toHaveProperty('usage');
      expect(at(chunk, 'model')).toBe('small');
      expect(listAt(chunk, 'choices')).toHaveLength(1);
    }
    const record = await recordOf(gateway, account, response.headers.get('x-request-id'));
    expect(record).toMatchObject({ streamed: true, status: 'completed', usage: { input: 9, output: 25 } });
    expect(record).toMatchObject({ usage_estimated: false, finish_reason: 'stop' });
  });

  it('with include_usage ends with usage and its cost', async () => {
    const { data, response } = await client.chat.completions
      .create({
        model: 'small-latest',
        messages: say('12345678'),
        stream: true,
        stream_options: { include_usage: true },
        ...simulate({ output_tokens: 25, cached_tokens: 5 }),
      })
      .withResponse();
    const chunks: unknown[] = [];
    for await (const chunk of data) chunks.push(chunk);
    const last = chunks.at(-1);
    expect(last).toMatchObject({
      model: 'small-latest',
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 25 },
    });
    const cost =
      lineNanos(4, RATES.small.input) + lineNanos(5, RATES.small.cache_read) + lineNanos(25, RATES.small.output);
    expect(at(last, 'usage', 'cost')).toBe(Number(cost) / 1e9);
    expect(costOf(await recordOf(gateway, account, response.headers.get('x-request-id')))).toBe(cost);
  });

  it('equals the buffered response, in cost too', async () => {
    const request = { model: 'small', messages: say('Hi'), ...simulate({ output_tokens: 33 }) };
    const buffered = await client.chat.completions.create({ ...request, stream: false }).withResponse();
    const streamed = await client.chat.completions.create({ ...request, stream: true }).withResponse();
    let text = '';
    for await (const chunk of streamed.data) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(buffered.data.choices[0]?.message.content);
    const [one, other] = await Promise.all(
      [buffered, streamed].map(({ response }) => recordOf(gateway, account, response.headers.get('x-request-id'))),
    );
    expect(costOf(other)).toBe(costOf(one));
  });

  it('streams tool calls', async () => {
    const stream = await client.chat.completions.create({
      model: 'small',
      messages: say('Weather?'),
      stream: true,
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
      ...simulate({ tool_calls: [{ name: 'weather', arguments: '{"city":"Ulm"}' }] }),
    });
    let spelled = '';
    let finish: string | null | undefined;
    for await (const chunk of stream) {
      spelled += chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? '';
      finish = chunk.choices[0]?.finish_reason ?? finish;
    }
    expect({ spelled, finish }).toEqual({ spelled: '{"city":"Ulm"}', finish: 'tool_calls' });
  });
});

describe('the base URL', () => {
  it.each(['', '/', '/v1', '/v1/'])('may be {base_url}%s', async (suffix) => {
    const based = gateway.openai(account.key, `${gateway.baseUrl}${suffix}`);
    const response = await based.chat.completions.create({ model: 'small', messages: say('Hi') });
    expect(response.choices).toHaveLength(1);
    expect(await idsOf(based.models.list())).toContain('small');
    expect((await based.models.retrieve('vendor/tricky:name')).id).toBe('vendor/tricky:name');
  });
});

describe("errors become the SDK's own classes", () => {
  it('a wrong key', async () => {
    const wrong = `${account.key.slice(0, -1)}${account.key.endsWith('a') ? 'b' : 'a'}`;
    const error = await gateway
      .openai(wrong)
      .models.list()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, type: 'invalid_bearer_token' });
  });

  it('an unknown model, an empty balance and a malformed body', async () => {
    const poor = gateway.openai((await gateway.accounts.create(0n)).key);
    const unknown = client.chat.completions.create({ model: 'nope', messages: say('Hi') });
    await expect(unknown).rejects.toMatchObject({ status: 400, type: 'model_not_available' });
    const broke = poor.chat.completions.create({ model: 'small', messages: say('Hi') });
    await expect(broke).rejects.toMatchObject({ status: 400, type: 'insufficient_balance' });
    const malformed = client.chat.completions.create({ model: 'small', messages: [] });
    await expect(malformed).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
  });

  it('an upstream error within a stream', async () => {
    const stream = await client.chat.completions.create({
      model: 'breakable-60',
      messages: say('Hi'),
      stream: true,
      ...simulate({ output_tokens: 10, error_after_events: 4 }),
    });
    let content = '';
    const read = async () => {
      for await (const chunk of stream) content += chunk.choices[0]?.delta.content ?? '';
    };
    await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(content).not.toBe('');
  });
});

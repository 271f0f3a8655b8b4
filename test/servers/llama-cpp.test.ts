import { nanos } from '@tollgate/test-support/gateway/money';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mode } from '../sdk/expectations.ts';
import { FINISH } from '../sdk/features/run.ts';
import { anthropicMessagesDriver } from '../sdk/javascript/anthropic-messages.ts';
import { geminiDriver } from '../sdk/javascript/gemini.ts';
import { openaiChatDriver } from '../sdk/javascript/openai-chat.ts';
import { openaiResponsesDriver } from '../sdk/javascript/openai-responses.ts';
import type { Ask, Driver, SdkResponse } from '../sdk/scenario.ts';
import { PROVIDER_KEY, type SdkGateway, startGatewayWith } from '../sdk/support/gateway.ts';
import { at, countAt, textOr } from '../sdk/support/json.ts';
import { modelOn, PRICE, serverCatalogue, UPSTREAMS, type Upstream } from './support/catalogue.ts';
import { type LlamaServer, startLlamaServer } from './support/llama-server.ts';

/** What the model of `make_model.py` always generates. */
const TEXT = 'Rain-blue_sky.';
const THOUGHT = 'Hm?';
/** Tokens of the model's response: a byte each, the end of the thought and the end of the response. */
const THOUGHT_TOKENS = THOUGHT.length + 1;
const TEXT_TOKENS = TEXT.length + 1;

const WEATHER = {
  name: 'get_weather',
  description: 'Reports the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string', enum: ['Ulm'] } }, required: ['city'] },
};
const USER: Ask['turns'][number] = { role: 'user', parts: [{ text: 'hello' }] };
const DRIVERS = [openaiChatDriver(), openaiResponsesDriver(), anthropicMessagesDriver(), geminiDriver()];

let server: LlamaServer;
let gateway: SdkGateway;

beforeAll(async () => {
  server = await startLlamaServer(PROVIDER_KEY);
  gateway = await startGatewayWith(serverCatalogue(server.url));
}, 240_000);

afterAll(async () => {
  await gateway?.stop();
  await server?.stop();
});

describe.each(DRIVERS)('a client of $protocol', (driver) => {
  // The server's own responses are not what OpenAI's SDK expects: its streams have no indices.
  const upstreams = UPSTREAMS.filter((upstream) => upstream !== 'openai-responses' || driver.protocol !== upstream);
  describe.each(upstreams)('with llama.cpp’s %s', (upstream) => {
    describe.each(['buffered', 'stream'] as const)('%s', (mode) => pairTests(driver, upstream, mode));
  });
});

function pairTests(driver: Driver, upstream: Upstream, mode: Mode): void {
  const ask = (fields: Omit<Ask, 'model' | 'stream'>): Promise<SdkResponse> =>
    driver.ask(
      { baseUrl: gateway.baseUrl, key: gateway.account.key },
      { model: modelOn(upstream), stream: mode === 'stream', maxTokens: 400, ...fields },
    );

  it('text and thoughts, with the usage and cost of each token', async () => {
    const response = await ask({ turns: [USER] });
    expect(response).toMatchObject({
      error: null,
      text: TEXT,
      thoughts: THOUGHT,
      finish: FINISH.stop[driver.protocol],
    });
    const prompt = rendered('user', 'hello') + OPENING;
    await expectBill(response, { input: prompt, output: THOUGHT_TOKENS + TEXT_TOKENS });
    // The server ends thoughts of these protocols last, and a Gemini client gets a thought's signature before the text.
    const isHeld = driver.protocol === 'gemini' && upstream !== 'openai-chat';
    if (mode === 'stream') expect(response.pieces).toBe(isHeld ? 1 : TEXT.length);
  });

  it('a conversation with instructions and earlier turns', async () => {
    const turns: Ask['turns'] = [USER, { role: 'assistant', text: 'Yes.' }, USER];
    const response = await ask({ system: 'Be brief.', turns });
    expect(response).toMatchObject({ error: null, text: TEXT });
    const prompt =
      rendered('system', 'Be brief.') +
      rendered('user', 'hello') +
      tokens('assistant:Yes.', 2) +
      1 +
      rendered('user', 'hello') +
      OPENING;
    await expectBill(response, { input: prompt, output: THOUGHT_TOKENS + TEXT_TOKENS });
  });

  it('a tool call after thoughts, and the turn with its result, in which the thoughts return', async () => {
    const called = await ask({ tools: [WEATHER], toolChoice: 'required', turns: [USER] });
    expect(called).toMatchObject({ error: null, finish: FINISH.calls[driver.protocol], thoughts: THOUGHT });
    expect(called.calls).toMatchObject([{ name: 'get_weather', input: { city: 'Ulm' } }]);
    const before = await promptOf(called);

    const results = called.calls.map(({ id, name }) => ({ callId: id, name, output: 'Sun.' }));
    const response = await ask({
      tools: [WEATHER],
      turns: [USER, { role: 'carried', ref: called.ref }, { role: 'tool', results }],
    });
    expect(response).toMatchObject({ error: null, text: TEXT, finish: FINISH.stop[driver.protocol] });
    const call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Ulm"}}\n</tool_call>';
    const turn =
      tokens('assistant:', 1) +
      tokens(`${THOUGHT}${TEXT}`, 2) +
      tokens(call.replace('<tool_call>', ''), 2) +
      1 +
      rendered('user', '<tool_response>\nSun.\n</tool_response>');
    // The prompt of the first turn ended with the opening of a response, which the earlier turn now has instead.
    expect((await promptOf(response)) - before).toBe(turn);
  });

  // The server's other two protocols call any tool, or take no choice.
  if (upstream === 'openai-chat') {
    it('a call of a named tool', async () => {
      const other = { ...WEATHER, name: 'get_time' };
      const response = await ask({ tools: [other, WEATHER], toolChoice: { tool: WEATHER.name }, turns: [USER] });
      expect(response).toMatchObject({ error: null, finish: FINISH.calls[driver.protocol] });
      expect(response.calls).toMatchObject([{ name: 'get_weather', input: { city: 'Ulm' } }]);
    });
  }

  // The server's other two protocols ignore a schema, and its responses do not report a reached limit.
  if (upstream === 'openai-chat') {
    it('output of a JSON schema', async () => {
      const schema = {
        type: 'object',
        properties: { city: { type: 'string', enum: ['Bonn'] } },
        required: ['city'],
        additionalProperties: false,
      };
      const response = await ask({ schema, turns: [USER] });
      expect(response.error).toBeNull();
      expect(JSON.parse(response.text)).toEqual({ city: 'Bonn' });
    });
  }

  it('the output limit', async () => {
    const shown = 5;
    const response = await ask({ maxTokens: THOUGHT_TOKENS + shown, turns: [USER] });
    const finish = upstream === 'openai-responses' ? FINISH.stop : FINISH.length;
    expect(response).toMatchObject({ error: null, text: TEXT.slice(0, shown), finish: finish[driver.protocol] });
    await expectBill(response, { input: rendered('user', 'hello') + OPENING, output: THOUGHT_TOKENS + shown });
  });

  it('a prompt that is too long is rejected in the words of the client’s protocol, and costs nothing', async () => {
    const response = await ask({ turns: [{ role: 'user', parts: [{ text: 'a'.repeat(5_000) }] }] });
    // A responses stream begins and fails, as OpenAI's do.
    const begun = driver.protocol === 'openai-responses' && mode === 'stream';
    expect(response.error).toMatchObject({ status: begun ? null : 400 });
    expect(response.error?.reported).toMatch(/context|too long|token count/);
    const record = (await gateway.record(response.headers['x-request-id'] ?? '')).json;
    expect(record).toMatchObject({ status: 'failed', cost: '0' });
  });
}

/** Tokens of a text with some special tokens. All others are one byte. */
function tokens(text: string, special: number): number {
  return Buffer.byteLength(text) + special;
}

/** Tokens of a message in the model's template. */
function rendered(role: string, text: string): number {
  return tokens(`${role}\n${text}\n`, 2);
}

/** Tokens after which the model's thoughts begin. */
const OPENING = tokens('assistant:', 2);

interface Bill {
  input: number;
  output: number;
}

/** Tokens of the prompt, cached or not. */
async function promptOf(response: SdkResponse): Promise<number> {
  const record = (await gateway.record(response.headers['x-request-id'] ?? '')).json;
  return countAt(record, 'usage', 'input') + countAt(record, 'usage', 'cache_read');
}

/** The server caches what it can, so the split of the prompt is the server's; its sum and the cost follow. */
async function expectBill(response: SdkResponse, bill: Bill): Promise<void> {
  const record = (await gateway.record(response.headers['x-request-id'] ?? '')).json;
  expect(record).toMatchObject({ status: 'completed', usage_estimated: false });
  const input = countAt(record, 'usage', 'input');
  const cached = countAt(record, 'usage', 'cache_read');
  const output = countAt(record, 'usage', 'output') + countAt(record, 'usage', 'reasoning');
  expect({ input: input + cached, output }).toEqual(bill);
  const cost = BigInt(input) * PRICE.input + BigInt(cached) * PRICE.cacheRead + BigInt(output) * PRICE.output;
  expect(nanos(textOr(record, 'cost'))).toBe(cost);
  expect(at(record, 'usage', 'input')).toBeGreaterThan(0);
}

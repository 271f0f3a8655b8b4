import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Mode } from './expectations.ts';
import { FINISH } from './features/run.ts';
import { type Ask, type Driver, PROTOCOLS, type ProtocolName, type SdkResponse } from './scenario.ts';
import { modelOn } from './support/catalogue.ts';
import { Drivers } from './support/drivers.ts';
import { type SdkGateway, startSdkGateway } from './support/gateway.ts';
import { at, countAt, listOr, textOr } from './support/json.ts';
import { waysOf } from './ways.ts';

/** Unlike the simulated provider, this mock of all four protocols is independent of this project. */
let mock: LLMock;
let gateway: SdkGateway;
let drivers: Drivers;

/** The mock returns reasoning only for models with known names. */
const NAMES: Readonly<Record<ProtocolName, string>> = {
  'openai-chat': 'gpt-5',
  'openai-responses': 'gpt-5',
  'anthropic-messages': 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-pro',
};
const MODES: readonly Mode[] = ['buffered', 'stream'];
const USAGE = { prompt_tokens: 12, completion_tokens: 5 };
const THOUGHTS = 'Rain was forecast, so I look it up.';
const WEATHER = {
  name: 'get_weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const CALLS = [
  { id: 'call_one', name: 'get_weather', arguments: '{"city":"Ulm"}' },
  { id: 'call_two', name: 'get_weather', arguments: '{"city":"Bonn"}' },
];

beforeAll(async () => {
  mock = new LLMock({ port: 0, strict: true, chunkSize: 7 });
  mock.on(
    { userMessage: 'Say hello', systemMessage: 'Be brief.' },
    { content: 'Hello, world, and all.', usage: USAGE },
  );
  mock.on({ userMessage: 'Count nothing' }, { content: 'Words that were not counted.' });
  mock.on({ userMessage: 'Weather of two', hasToolResult: false }, { toolCalls: CALLS, usage: USAGE });
  mock.on(
    { userMessage: 'Weather of two', hasToolResult: true, toolResultContains: 'Result 1' },
    { content: 'Sun in both.', usage: USAGE },
  );
  mock.on(
    { userMessage: 'Think of it', hasToolResult: false },
    { toolCalls: CALLS.slice(0, 1), reasoning: THOUGHTS, reasoningSignature: 'c2lnbmF0dXJl', usage: USAGE },
  );
  mock.on({ userMessage: 'Think of it', hasToolResult: true }, { content: 'Sun.', usage: USAGE });
  mock.on({ userMessage: 'Stop early' }, { content: 'Well', finishReason: 'length', usage: USAGE });
  await mock.start();
  gateway = await startSdkGateway({ providerUrl: mock.url, names: NAMES });
  drivers = await Drivers.start();
}, 240_000);

afterAll(async () => {
  await drivers?.stop();
  await gateway?.stop();
  await mock?.stop();
});

beforeEach(() => mock.clearRequests());

/** One scenario between a client and an upstream. */
interface Case {
  driver: Driver;
  upstream: ProtocolName;
  mode: Mode;
  ask: (fields: Omit<Ask, 'model' | 'stream'>) => Promise<SdkResponse>;
}

const user = (text: string): Ask['turns'][number] => ({ role: 'user', parts: [{ text }] });

const SCENARIOS: Readonly<Record<string, (facts: Case) => Promise<void>>> = {
  'text, with instructions, usage and cost': async ({ driver: { protocol }, mode, ask }) => {
    const response = await ask({ system: 'Be brief.', turns: [user('Say hello')] });
    expect(response).toMatchObject({ error: null, text: 'Hello, world, and all.', finish: FINISH.stop[protocol] });
    expect(response.usage).toMatchObject({ input: 12, output: 5 });
    const record = (await gateway.record(response.headers['x-request-id'] ?? '')).json;
    expect(record).toMatchObject({ status: 'completed', usage_estimated: false, usage: { input: 12, output: 5 } });
    if (mode === 'stream') expect(response.pieces).toBeGreaterThan(1);
  },

  'counts tokens itself if the upstream reports no usage': async ({ upstream, ask }) => {
    const response = await ask({ turns: [user('Count nothing')] });
    expect(response).toMatchObject({ error: null, text: 'Words that were not counted.' });
    const record = (await gateway.record(response.headers['x-request-id'] ?? '')).json;
    // Its chat completions estimate a missing count; the other protocols report 0.
    expect(at(record, 'usage_estimated')).toBe(upstream !== 'openai-chat');
    expect(countAt(record, 'usage', 'output')).toBeGreaterThan(2);
  },

  'two tool calls and their results': async ({ driver: { protocol }, upstream, ask }) => {
    const called = await ask({ tools: [WEATHER], turns: [user('Weather of two')] });
    // The mock ends calls of Gemini with a finish reason that Google does not have; a Gemini client sees it.
    const finish = protocol === 'gemini' && upstream === 'gemini' ? 'FUNCTION_CALL' : FINISH.calls[protocol];
    expect(called).toMatchObject({ error: null, finish });
    expect(called.calls).toEqual([
      { id: 'call_one', name: 'get_weather', input: { city: 'Ulm' } },
      { id: 'call_two', name: 'get_weather', input: { city: 'Bonn' } },
    ]);
    const results = called.calls.map(({ id, name }, index) => ({ callId: id, name, output: `Result ${index}` }));
    const turns: Ask['turns'] = [
      user('Weather of two'),
      { role: 'carried', ref: called.ref },
      { role: 'tool', results },
    ];
    const response = await ask({ tools: [WEATHER], turns });
    expect(response).toMatchObject({ error: null, text: 'Sun in both.' });
    // As the mock parsed the conversation.
    const roles = listOr(mock.getLastRequest()?.body, 'messages').map((message) => textOr(message, 'role'));
    expect(roles.filter((role) => role === 'tool')).toHaveLength(2);
  },

  'thoughts, and the turn after them': async ({ driver: { protocol }, upstream, ask }) => {
    const reasoning = protocol === 'anthropic-messages' ? { budget: 2_048 } : { effort: 'low' as const };
    const first = user('Think of it');
    const thought = await ask({ reasoning, maxTokens: 8_000, tools: [WEATHER], turns: [first] });
    expect(thought.error).toBeNull();
    expect(thought.calls).toMatchObject([{ name: 'get_weather', input: { city: 'Ulm' } }]);
    if (protocol !== 'openai-chat' || upstream === 'openai-chat') expect(thought.thoughts).toBe(THOUGHTS);
    const results = thought.calls.map(({ id, name }) => ({ callId: id, name, output: 'Sun.' }));
    const turns: Ask['turns'] = [first, { role: 'carried', ref: thought.ref }, { role: 'tool', results }];
    // The mock rejects a Messages turn that does not start with its signed thoughts.
    const response = await ask({ reasoning, maxTokens: 8_000, tools: [WEATHER], turns });
    expect(response).toMatchObject({ error: null, text: 'Sun.' });
  },

  'the output limit': async ({ driver: { protocol }, upstream, ask }) => {
    const response = await ask({ maxTokens: 50, turns: [user('Stop early')] });
    // Its Responses are incomplete without a reason, which a client of that protocol sees.
    const hasNoReason = protocol === 'openai-responses' && upstream === 'openai-responses';
    const finish = hasNoReason ? 'incomplete' : FINISH.length[protocol];
    expect(response).toMatchObject({ error: null, text: 'Well', finish });
  },

  'a request that the upstream does not know': async ({ ask }) => {
    const response = await ask({ turns: [user('No fixture matches this')] });
    expect(response.error).not.toBeNull();
    expect(response.error?.status).toBeGreaterThanOrEqual(400);
    expect(response.error?.reported).not.toContain('aimock');
  },
};

describe.each(PROTOCOLS)('a client of %s', (client) => {
  describe.each(PROTOCOLS)('with a foreign upstream of %s', (upstream) => {
    for (const [number, [title, scenario]] of Object.entries(SCENARIOS).entries()) {
      it.each(waysOf(client, upstream, number, MODES))(`${title}, $language, $mode`, async ({ language, mode }) => {
        const driver = drivers.get(language, client);
        const target = { baseUrl: gateway.baseUrl, key: gateway.account.key };
        const call = { model: modelOn(upstream), stream: mode === 'stream' };
        await scenario({ driver, upstream, mode, ask: (fields) => driver.ask(target, { ...call, ...fields }) });
      });
    }
  });
});

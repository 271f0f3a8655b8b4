import Anthropic from '@anthropic-ai/sdk';
import { FunctionCallingConfigMode, GoogleGenAI, ThinkingLevel } from '@google/genai';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import { chatRequest, type Gateway, say } from '@tollgate/test-support/gateway/gateway';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { STRICT_MODELS } from '@tollgate/test-support/gateway/strict-models';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';
import { readShortage } from './support/shortage.ts';

let gateway: Gateway;
let account: Account;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(100_000_000_000n);
  openai = gateway.openai(account.key);
  anthropic = new Anthropic({ apiKey: account.key, baseURL: gateway.baseUrl, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: account.key, httpOptions: { baseUrl: gateway.baseUrl } });
});

/** The body that the provider received for a response. */
function received(headers: Headers): unknown {
  const traceId = String(headers.get('x-trace-id')).replaceAll('-', '');
  const [call] = gateway.simulator.recorder.list(traceId);
  expect(call?.status).toBe(200);
  return JSON.parse(call?.body ?? 'null');
}

/** As long as that of Claude Code. */
const USER_ID = 'user_'.padEnd(150, '0');
const STEERED = { temperature: 0.5, top_p: 0.9 };

async function askAnthropic(fields: Omit<Anthropic.MessageCreateParamsNonStreaming, 'messages'>): Promise<Headers> {
  const { response } = await anthropic.messages.create({ messages: say('Hello'), ...fields }).withResponse();
  return response.headers;
}

/** Calls with the official SDKs, whose values some models do not accept. */
const CLIENTS: readonly { name: string; ask: (model: string) => Promise<Headers | undefined> }[] = [
  {
    name: 'openai, chat completions',
    ask: async (model) => {
      const { response } = await openai.chat.completions
        .create({
          model,
          messages: say('Hello'),
          ...STEERED,
          reasoning_effort: 'minimal',
          max_completion_tokens: 8,
          safety_identifier: USER_ID,
        })
        .withResponse();
      return response.headers;
    },
  },
  {
    name: 'openai, responses',
    ask: async (model) => {
      const { response } = await openai.responses
        .create({
          model,
          input: 'Hello',
          ...STEERED,
          reasoning: { effort: 'xhigh', summary: 'auto' },
          include: ['reasoning.encrypted_content'],
          max_output_tokens: 1,
          safety_identifier: USER_ID,
        })
        .withResponse();
      return response.headers;
    },
  },
  {
    name: '@anthropic-ai/sdk, with a budget',
    ask: (model) =>
      askAnthropic({
        model,
        max_tokens: 4_000,
        thinking: { type: 'enabled', budget_tokens: 3_999 },
        metadata: { user_id: USER_ID },
      }),
  },
  {
    name: '@anthropic-ai/sdk, with adaptive thinking',
    ask: (model) =>
      askAnthropic({
        model,
        max_tokens: 4_000,
        thinking: { type: 'adaptive' },
        output_config: { effort: 'max' },
        metadata: { user_id: USER_ID },
      }),
  },
  {
    name: 'openai, chat completions with a forced call and without reasoning',
    ask: async (model) => {
      const { response } = await openai.chat.completions
        .create({
          model,
          messages: say('Hello'),
          reasoning_effort: 'none',
          tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
          tool_choice: 'required',
        })
        .withResponse();
      return response.headers;
    },
  },
  {
    name: 'openai, chat completions with a forced call and reasoning',
    ask: async (model) => {
      const { response } = await openai.chat.completions
        .create({
          model,
          messages: say('Hello'),
          reasoning_effort: 'high',
          tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
          tool_choice: 'required',
        })
        .withResponse();
      return response.headers;
    },
  },
  {
    name: '@anthropic-ai/sdk, without thinking',
    ask: (model) =>
      askAnthropic({ model, max_tokens: 1, thinking: { type: 'disabled' }, metadata: { user_id: USER_ID } }),
  },
  {
    name: '@anthropic-ai/sdk, with a forced call',
    ask: async (model) => {
      const { response } = await anthropic.messages
        .create({
          model,
          messages: say('Hello'),
          max_tokens: 4_000,
          tools: [{ name: 'f', input_schema: { type: 'object' } }],
          tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
        })
        .withResponse();
      return response.headers;
    },
  },
  {
    name: '@anthropic-ai/sdk, thinking, with a last turn of the assistant',
    ask: async (model) => {
      const interrupted = { role: 'assistant' as const, content: 'Well, ' };
      const { response } = await anthropic.messages
        .create({
          model,
          messages: [...say('Hello'), interrupted],
          max_tokens: 4_000,
          thinking: { type: 'enabled', budget_tokens: 2_000 },
        })
        .withResponse();
      return response.headers;
    },
  },
  {
    name: 'openai, chat completions with a last turn of the assistant',
    ask: async (model) => {
      const messages = [...say('Hello'), { role: 'assistant' as const, content: 'Well, ' }];
      const { response } = await openai.chat.completions.create({ model, messages }).withResponse();
      return response.headers;
    },
  },
  {
    name: '@google/genai, with a forced call and dynamic thinking',
    ask: async (model) => {
      const config = {
        thinkingConfig: { thinkingBudget: -1 },
        tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object', properties: {} } }] }],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
      };
      const { sdkHttpResponse } = await google.models.generateContent({ model, contents: 'Hello', config });
      return new Headers(sdkHttpResponse?.headers);
    },
  },
  {
    name: '@google/genai, with a level',
    ask: async (model) => {
      const thinkingConfig = { thinkingLevel: ThinkingLevel.MINIMAL, includeThoughts: true };
      const config = { temperature: 0.5, topP: 0.9, maxOutputTokens: 8, thinkingConfig };
      const { sdkHttpResponse } = await google.models.generateContent({ model, contents: 'Hello', config });
      return new Headers(sdkHttpResponse?.headers);
    },
  },
  {
    name: '@google/genai, with a budget',
    ask: async (model) => {
      const config = { temperature: 0, topP: 0.95, thinkingConfig: { thinkingBudget: 60_000 } };
      const { sdkHttpResponse } = await google.models.generateContent({ model, contents: 'Hello', config });
      return new Headers(sdkHttpResponse?.headers);
    },
  },
];

describe.each(STRICT_MODELS)('$id', ({ id, rules, protocol }) => {
  it.each(CLIENTS)(
    `serves $name, although its provider (${protocol}, ${rules}) would reject its values`,
    async ({ ask }) => {
      const headers = await ask(id);
      if (headers === undefined) throw new Error('the SDK gave no headers');
      expect(received(headers)).toBeTypeOf('object');
    },
  );
});

describe('stop sequences of white space', () => {
  it.each([
    ['translated', () => askChat({ stop: ['\n', 'END'] }), /^stop: kept to by the gateway/],
    [
      'in the provider’s own protocol',
      () => askAnthropic({ model: 'strict-claude-old', max_tokens: 100, stop_sequences: ['\n', 'END'] }),
      /^stop_sequences: without those of only white space/,
    ],
  ])('are not sent, %s', async (_, ask, warning) => {
    const headers = await ask();
    expect(received(headers)).toMatchObject({ stop_sequences: ['END'] });
    expect(headers.get('x-tollgate-warnings')).toMatch(warning);
  });

  async function askChat(fields: { stop: string[] }): Promise<Headers> {
    const { response } = await openai.chat.completions
      .create({ model: 'via-anthropic-messages', messages: say('Hello'), ...fields })
      .withResponse();
    return response.headers;
  }
});

describe('a provider that wants reasoning back without a signature', () => {
  const TEXT = 'Look it up.';

  it('gets it from a client of its own protocol', async () => {
    const { response } = await anthropic.messages
      .create({
        model: 'strict-messages-unsigned',
        max_tokens: 4_000,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        messages: [
          { role: 'user', content: 'Hello' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: TEXT, signature: '' },
              { type: 'tool_use', id: 'a', name: 'f', input: {} },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Done' }] },
        ],
      })
      .withResponse();
    expect(at(received(response.headers), 'messages', 1, 'content', 0)).toMatchObject({ thinking: TEXT });
    expect(response.headers.get('x-tollgate-warnings')).toBeNull();
  });

  it('gets it from a client of chat completions', async () => {
    const call = { id: 'a', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const assistant = { role: 'assistant' as const, content: null, tool_calls: [call], reasoning_content: TEXT };
    const { response } = await openai.chat.completions
      .create({
        model: 'strict-messages-unsigned',
        messages: [...say('Hello'), assistant, { role: 'tool', tool_call_id: 'a', content: 'Done' }],
      })
      .withResponse();
    expect(at(received(response.headers), 'messages', 1, 'content', 0)).toEqual({
      type: 'thinking',
      thinking: TEXT,
      signature: '',
    });
  });
});

describe('a forced call of a model that rejects it', () => {
  const MODEL = 'strict-claude-unforced';

  it('becomes an instruction in a translated request', async () => {
    const { response } = await openai.chat.completions
      .create({
        model: MODEL,
        messages: say('Hello'),
        tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
        tool_choice: { type: 'function', function: { name: 'look' } },
      })
      .withResponse();
    const body = received(response.headers);
    expect(at(body, 'tool_choice')).toEqual({ type: 'auto' });
    expect(at(body, 'system')).toEqual([{ type: 'text', text: 'Your response must call the tool look.' }]);
    expect(response.headers.get('x-tollgate-warnings')).toBe(
      'tool_choice: sent as "auto" with an instruction to call a tool, since this model cannot be forced to',
    );
  });

  it.each([
    [{ type: 'any' }, { type: 'auto' }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { type: 'auto', disable_parallel_tool_use: true },
    ],
    [{ type: 'tool', name: 'look' }, { type: 'auto' }],
  ] as const)('becomes its own choice in the provider’s own protocol: %j', async (choice, sent) => {
    const request = {
      model: MODEL,
      messages: say('Hello'),
      tools: [{ name: 'look', input_schema: { type: 'object' as const } }],
      tool_choice: choice,
    };
    const { response } = await anthropic.messages.create({ ...request, max_tokens: 4_000 }).withResponse();
    const body = received(response.headers);
    expect(at(body, 'tool_choice')).toEqual(sent);
    expect(body).not.toHaveProperty('system');
    expect(response.headers.get('x-tollgate-warnings')).toBe(
      'tool_choice: sent as "auto", since this model cannot be forced to call a tool',
    );
    const counted = await anthropic.messages.countTokens(request);
    expect(counted.input_tokens).toBeGreaterThan(0);
  });
});

describe('a deployment', () => {
  it('is sent what its own model accepts, whatever other deployments of the entry accept', async () => {
    const { response } = await openai.chat.completions
      .create({ model: 'two-kinds', messages: say('Hello'), temperature: 1.5 })
      .withResponse();
    expect(received(response.headers)).toMatchObject({ temperature: 1 });
    expect(response.headers.get('x-tollgate-warnings')).toBe('temperature: sent as 1, the maximum of this model');
  });
});

describe('a provider without betas', () => {
  const BETA = { 'anthropic-beta': 'context-management-2025-06-27,interleaved-thinking-2025-05-14' };

  function ask(model: string) {
    const body = { model, max_tokens: 100, messages: say('Hello'), context_management: { edits: [] } };
    return gateway.send({
      method: 'POST',
      path: '/v1/messages',
      headers: { 'x-api-key': account.key, 'content-type': 'application/json', ...BETA },
      body: JSON.stringify(body),
    });
  }

  it('gets neither the betas nor the fields that they enable', async () => {
    const response = await ask('without-betas');
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(received(new Headers({ 'x-trace-id': textAt(response.headers, 'x-trace-id') }))).not.toHaveProperty(
      'context_management',
    );
    const warnings = textAt(response.headers, 'x-tollgate-warnings');
    expect(warnings).toContain('anthropic-beta: context-management-2025-06-27 is not passed on');
    expect(warnings).toContain('context_management: left out together with the beta that enables it');
  });

  it('does not change what other providers get', async () => {
    const response = await ask('via-anthropic-messages');
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(received(new Headers({ 'x-trace-id': textAt(response.headers, 'x-trace-id') }))).toMatchObject({
      context_management: { edits: [] },
    });
    expect(response.headers).not.toHaveProperty('x-tollgate-warnings');
  });
});

describe('a raised output limit', () => {
  const BODY = {
    model: 'strict-responses-plain',
    messages: say(directed('Hello', { output_tokens: 'max' })),
    max_tokens: 1,
  };

  it('is paid for by the hold, and the charge follows the usage', async () => {
    const poor = await gateway.accounts.create(0n);
    const { neededNanos } = readShortage(await gateway.send(chatRequest(poor.key, BODY)));
    const exact = await gateway.accounts.create(neededNanos);
    const response = await gateway.send(chatRequest(exact.key, BODY));
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(response.headers['x-tollgate-warnings']).toContain(
      'max_tokens: raised to 16, the smallest limit of this model',
    );
    const record = await recordOf(gateway, exact, response.headers['x-request-id']);
    expect(at(response.json, 'usage', 'completion_tokens')).toBe(16);
    expect(costOf(record)).toBeLessThanOrEqual(neededNanos);
    expect(await balanceOf(gateway, exact)).toBe(neededNanos - costOf(record));
  });
});

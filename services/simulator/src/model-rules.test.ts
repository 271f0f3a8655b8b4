import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../testing/call.ts';
import { type Simulator, startSimulator } from '../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;
const USER = [{ role: 'user', content: 'Hello' }];
const BODIES = {
  chat: { messages: USER },
  responses: { input: 'Hello' },
  messages: { messages: USER, max_tokens: 4_096 },
} as const;
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const FORCED = { tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice: { type: 'any' } } as const;
const SIGNED = { ...CALL, extra_content: { google: { thought_signature: 'CiQB' } } };

function ask(protocol: keyof typeof PATHS, rule: string, fields: object, headers: Record<string, string> = {}) {
  const model = rule === '' ? 'sim' : `sim+${rule}`;
  const version = protocol === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
  const body = { ...BODIES[protocol], model, ...fields };
  return textOf(call(`${simulator.url}${PATHS[protocol]}`, body, { ...version, ...headers }));
}

function callSimulator(path: string, body: object) {
  return call(`${simulator.url}${path}`, body);
}

async function textOf(response: ReturnType<typeof call>) {
  const { status, json } = await response;
  return { status, text: JSON.stringify(json) };
}

function askGemini(rule: string, thinkingConfig: object) {
  const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], generationConfig: { thinkingConfig } };
  return textOf(call(`${simulator.url}/v1beta/models/sim+${rule}:generateContent`, body));
}

describe('a model with rules in its name rejects, as the real one does,', () => {
  it.each([
    ['chat', 'reasoning', { temperature: 0.5 }, "'temperature' does not support 0.5 with this model"],
    ['chat', 'reasoning', { top_p: 0.5 }, "'top_p' is not supported with this model"],
    ['chat', 'reasoning', { reasoning_effort: 'minimal' }, "Supported values are: 'low', 'medium', and 'high'."],
    ['chat', 'no-reasoning', { reasoning_effort: 'low' }, "'reasoning_effort' is not supported"],
    [
      'chat',
      'plain-messages',
      { messages: [...USER, { role: 'assistant', content: 'a', reasoning_content: 'hm' }] },
      "property 'reasoning_content' is unsupported",
    ],
    [
      'chat',
      'plain-messages',
      {
        messages: [
          ...USER,
          { role: 'assistant', tool_calls: [SIGNED] },
          { role: 'tool', content: 'a', tool_call_id: 'c' },
        ],
      },
      "property 'extra_content' is unsupported",
    ],
    ['chat', 'as-groq', { n: 2 }, "'n' : number must be at most 1"],
    ['chat', 'as-mistral', { max_completion_tokens: 9 }, 'Extra inputs are not permitted: body.max_completion_tokens'],
    ['chat', 'as-deepseek', { messages: [{ role: 'developer', content: 'a' }] }, 'unknown variant `developer`'],
    ['responses', 'reasoning', { temperature: 0 }, "'temperature' is not supported with this model"],
    ['responses', 'reasoning', { reasoning: { effort: 'none' } }, 'Supported values are'],
    ['responses', 'no-reasoning', { reasoning: { summary: 'auto' } }, "'reasoning.summary' is not supported"],
    ['responses', 'no-reasoning', { include: ['reasoning.encrypted_content'] }, 'Encrypted content is not supported'],
    ['messages', 'one-sampler', { temperature: 1, top_p: 1 }, 'Please use only one'],
    ['messages', 'adaptive', { temperature: 0.5 }, '`temperature` is deprecated for this model.'],
    [
      'messages',
      'adaptive',
      { messages: [...USER, { role: 'assistant', content: 'It is' }] },
      'does not support assistant message prefill',
    ],
    ['messages', 'adaptive', { top_k: 1 }, '`top_k` is deprecated for this model.'],
    ['messages', 'adaptive', { thinking: { type: 'enabled', budget_tokens: 1_024 } }, '"thinking.type.enabled" is not'],
    ['messages', 'always-thinks', { thinking: { type: 'disabled' } }, '"thinking.type.disabled" is not supported'],
    [
      'messages',
      'between-tools',
      { thinking: { type: 'disabled' } },
      '"thinking": {"type": "between_tools"} instead of',
    ],
    [
      'messages',
      'between-tools',
      { thinking: { type: 'between_tools' }, output_config: { effort: 'max' } },
      'not supported with the effort',
    ],
    ['messages', 'adaptive', { thinking: { type: 'between_tools' } }, '"thinking.type.between_tools" is not supported'],
    [
      'messages',
      'unsigned-thinking',
      {
        messages: [
          ...USER,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'b' }] },
        ],
      },
      'must be passed back to the API',
    ],
    ['messages', 'no-forced-calls', { ...FORCED }, 'type "tool" and "any" are not supported for this model.'],
    ['messages', 'budget', { thinking: { type: 'adaptive' } }, 'adaptive thinking is not supported'],
    ['messages', 'budget', { output_config: { effort: 'low' } }, 'does not support the effort parameter'],
  ] as const)('%s+%s: %j', async (protocol, rule, fields, message) => {
    const refused = await ask(protocol, rule, fields);
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(JSON.stringify(message).slice(1, -1)) });
    const accepted = await ask(protocol, '', fields);
    expect(accepted.status).toBe(200);
  });

  it.each([
    ['levels', { thinkingBudget: 1_024 }, 'Thinking budget is not supported'],
    ['levels', { thinkingLevel: 'MINIMAL' }, 'Thinking level MINIMAL is not supported for this model. Please retry'],
    ['budget', { thinkingLevel: 'LOW' }, 'Thinking level is not supported'],
    ['budget', { thinkingBudget: 0 }, 'Please choose a value between 128 and 32768'],
    ['budget', { thinkingBudget: 50_000 }, 'The thinking budget 50000 is invalid'],
  ])('gemini+%s: %j', async (rule, config, message) => {
    expect(await askGemini(rule, config)).toMatchObject({ status: 400, text: expect.stringContaining(message) });
    expect(await askGemini('unknown', config)).toMatchObject({ status: 200 });
  });

  it('betas of a provider without any, and fields without their beta', async () => {
    const fields = { context_management: { edits: [] } };
    const beta = { 'anthropic-beta': 'context-management-2025-06-27' };
    expect(await ask('messages', '', fields)).toMatchObject({
      status: 400,
      text: expect.stringContaining('context_management: Extra inputs are not permitted'),
    });
    expect(await ask('messages', '', fields, beta)).toMatchObject({ status: 200 });
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'Briefly', output_config: { effort: 'low' } },
    ];
    expect(await ask('messages', '', { messages })).toMatchObject({
      status: 400,
      text: expect.stringContaining('messages.1.output_config: Extra inputs are not permitted'),
    });
    const perTurn = { 'anthropic-beta': 'per-turn-control-2026-07-01' };
    expect(await ask('messages', '', { messages }, perTurn)).toMatchObject({ status: 200 });
    expect(await ask('messages', 'no-betas', {}, beta)).toMatchObject({
      status: 400,
      text: expect.stringContaining('Unexpected value(s) `context-management-2025-06-27`'),
    });
  });

  it('ids of users above 64 characters, at OpenAI', async () => {
    const fields = { user: 'u'.repeat(65) };
    for (const protocol of ['chat', 'responses'] as const) {
      expect(await ask(protocol, '', fields)).toMatchObject({
        status: 400,
        text: expect.stringContaining('maximum length 64, but got a string with length 65 instead'),
      });
    }
  });
});

describe('a model that signs calls', () => {
  const call = (name: string) => ({ functionCall: { name, args: {} } });
  const result = (name: string) => ({
    role: 'user',
    parts: [{ functionResponse: { name, response: { output: '' } } }],
  });
  const prompt = { role: 'user', parts: [{ text: 'Hello' }] };

  async function ask(contents: readonly object[], model = 'sim+signed-calls') {
    return textOf(callSimulator(`/v1beta/models/${model}:generateContent`, { contents }));
  }

  /** A step as the model sends it. */
  async function step(): Promise<{ role: string; parts: object[] }> {
    const simulate = { reasoning: 'Hm.', tool_calls: [{ name: 'f' }, { name: 'g' }] };
    const tools = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }];
    const { json } = await callSimulator('/v1beta/models/sim:generateContent', { contents: [prompt], tools, simulate });
    return JSON.parse(JSON.stringify(json)).candidates[0].content;
  }

  const results = { role: 'user', parts: [...result('f').parts, ...result('g').parts] };

  it('accepts its calls as it sent them', async () => {
    const model = await step();
    expect(await ask([prompt, model, results])).toMatchObject({ status: 200 });
  });

  it('rejects a first call of the current turn without a signature, and not one of earlier turns', async () => {
    const unsigned = { role: 'model', parts: [call('f')] };
    const fault = { status: 400, text: expect.stringContaining('missing a thought_signature') };
    expect(await ask([prompt, unsigned, result('f')])).toMatchObject(fault);
    expect(
      await ask([prompt, unsigned, result('f'), { role: 'model', parts: [{ text: 'Hi' }] }, prompt]),
    ).toMatchObject({
      status: 200,
    });
    expect(await ask([prompt, unsigned, result('f')], 'sim')).toMatchObject({ status: 200 });
  });

  it('rejects a signature on another part than it came with', async () => {
    const { parts } = await step();
    const [first, second] = parts.map((part): Record<string, unknown> => ({ ...part }));
    const { thoughtSignature } = first ?? {};
    const moved = { role: 'model', parts: [call('f'), { ...second, thoughtSignature }] };
    expect(await ask([prompt, moved, results], 'sim')).toMatchObject({
      status: 400,
      text: expect.stringContaining('Thought signature is not valid'),
    });
    const swapped = { role: 'model', parts: [second ?? {}, first ?? {}] };
    expect(await ask([prompt, swapped, results])).toMatchObject({ status: 400 });
  });

  it('accepts the documented placeholders, as text and as bytes', async () => {
    for (const text of ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']) {
      for (const thoughtSignature of [text, Buffer.from(text).toString('base64')]) {
        const model = { role: 'model', parts: [{ ...call('f'), thoughtSignature }] };
        expect(await ask([prompt, model, result('f')])).toMatchObject({ status: 200 });
      }
    }
  });
});

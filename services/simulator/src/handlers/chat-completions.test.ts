import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
  client = new OpenAI({ apiKey: 'sim-key', baseURL: `${simulator.url}/v1`, maxRetries: 0, timeout: 5_000 });
});
afterAll(() => simulator.stop(100));

const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];

/** Parameters with a field that the SDK does not know. */
function asking<T extends object>(simulate: object, params: T): T & { simulate: object } {
  return { ...params, simulate };
}

async function collect(simulate: object, limit?: number) {
  const stream = await client.chat.completions.create(
    asking(simulate, {
      model: 'simulated-small',
      messages: MESSAGES,
      stream: true as const,
      stream_options: { include_usage: true },
      ...(limit === undefined ? {} : { max_completion_tokens: limit }),
    }),
  );
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function textOf(chunks: OpenAI.ChatCompletionChunk[]): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
}

describe('buffered responses', () => {
  it('is marked as simulated, in the format of a chat completion', async () => {
    const response = await client.chat.completions.create({ model: 'simulated-small', messages: MESSAGES });
    expect(response.choices[0]?.message.content).toContain('simulated');
    expect(response).toMatchObject({
      object: 'chat.completion',
      model: 'simulated-small',
      system_fingerprint: 'fp_simulated',
      choices: [{ index: 0, message: { role: 'assistant', refusal: null }, logprobs: null, finish_reason: 'stop' }],
    });
    const { usage } = response;
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  it('returns equal responses for equal requests, and other ids for others', async () => {
    const ask = (content: string) =>
      client.chat.completions.create({ model: 'simulated-small', messages: [{ role: 'user', content }] });
    expect(await ask('a')).toEqual(await ask('a'));
    expect((await ask('a')).id).not.toBe((await ask('b')).id);
  });

  it('stops at the limit', async () => {
    const params = { model: 'm', messages: MESSAGES, max_tokens: 3 };
    const response = await client.chat.completions.create(asking({ output_tokens: 10 }, params));
    expect(response.usage?.completion_tokens).toBe(3);
    expect(response.choices[0]?.finish_reason).toBe('length');
    const buffered = await client.chat.completions.create(asking({ output_tokens: 'max' }, params));
    expect(buffered.usage?.completion_tokens).toBe(3);
    const over = await client.chat.completions.create(asking({ output_tokens: 10, ignore_limit: true }, params));
    expect(over.usage?.completion_tokens).toBe(10);
  });

  it('counts reasoning within the output and cached within the input', async () => {
    const simulate = { reasoning_tokens: 7, output_tokens: 5, cached_tokens: 4 };
    const response = await client.chat.completions.create(asking(simulate, { model: 'm', messages: MESSAGES }));
    expect(response.usage).toMatchObject({
      completion_tokens: 12,
      completion_tokens_details: { reasoning_tokens: 7 },
      prompt_tokens_details: { cached_tokens: 4 },
    });
  });

  it('answers n choices and counts all of them', async () => {
    const response = await client.chat.completions.create(
      asking({ output_tokens: 4 }, { model: 'm', messages: MESSAGES, n: 3 }),
    );
    expect(response.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
    expect(response.usage?.completion_tokens).toBe(12);
  });

  it('calls the tool it must call', async () => {
    const tool = { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } };
    const params = { model: 'm', messages: MESSAGES, tools: [tool], tool_choice: 'required' as const };
    const response = await client.chat.completions.create(params);
    expect(response.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
    });
    const streamed = await client.chat.completions.stream(params).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"simulated":true}' } }]);
  });

  it('reads a directive in the text, which the field overrides', async () => {
    const messages = [{ role: 'user' as const, content: 'Hi [simulate {"text": "from ]} text", "output_tokens": 1}]' }];
    const response = await client.chat.completions.create({ model: 'm', messages });
    expect(response.choices[0]?.message.content).toBe('from ]} text');
    const other = await client.chat.completions.create(asking({ text: 'from field' }, { model: 'm', messages }));
    expect(other.choices[0]?.message.content).toBe('from field');
  });
});

describe('streams', () => {
  it('send role, tokens, finish and usage in this order', async () => {
    const chunks = await collect({ output_tokens: 4 });
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 4 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(chunks).toHaveLength(1 + 4 + 1 + 1);
  });

  it('have no usage unless requested', async () => {
    const stream = await client.chat.completions.create({ model: 'm', messages: MESSAGES, stream: true });
    for await (const chunk of stream) expect(chunk).not.toHaveProperty('usage');
  });

  it.each([
    ['omit', []],
    ['zero', [0]],
    ['late', [4]],
    ['with_finish', [4]],
    ['cumulative', [0, 1, 2, 3, 4, 4]],
  ])('report usage as asked: %s', async (usage, expected) => {
    const chunks = await collect({ output_tokens: 4, usage, usage_delay_ms: 5 });
    expect(chunks.flatMap((chunk) => (chunk.usage == null ? [] : [chunk.usage.completion_tokens]))).toEqual(expected);
  });

  it.each([
    ['split into single bytes', { split_bytes: 1 }],
    ['with CRLF', { crlf: true }],
    ['with comments', { comments: true }],
    ['with an event of a megabyte', { padding_bytes: 1_000_000 }],
    ['paced', { first_token_delay_ms: 5, token_delay_ms: 1 }],
  ])('arrive complete when %s', async (_, controls) => {
    const text = 'Grüße, 世界 🌍: "quoted"\nline';
    expect(textOf(await collect({ text, ...controls }))).toBe(text);
  });

  it('stop at the limit', async () => {
    const chunks = await collect({ output_tokens: 100 }, 6);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(6);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('length');
  });
});

describe('models', () => {
  it('are listed as simulated', async () => {
    const { data } = await client.models.list();
    expect(data.length).toBeGreaterThan(0);
    expect(data.every((model) => 'simulated' in model && model.simulated === true)).toBe(true);
    expect((await client.models.retrieve('simulated-small')).id).toBe('simulated-small');
    await expect(client.models.retrieve('nothing')).rejects.toThrow(OpenAI.NotFoundError);
  });
});

describe('wrong requests', () => {
  it.each([
    ['not JSON', '{', null],
    ['no model', '{"messages":[{"role":"user"}]}', 'model'],
    ['no messages', '{"model":"m"}', 'messages'],
    ['a message that is no object', '{"model":"m","messages":[{"role":"user","content":""},3]}', 'messages[1]'],
    [
      'a wrong control',
      '{"model":"m","messages":[{"role":"user","content":""}],"simulate":{"nonsense":1}}',
      'simulate',
    ],
    [
      'both limits',
      '{"model":"m","messages":[{"role":"user","content":""}],"max_tokens":1,"max_completion_tokens":1}',
      'max_tokens',
    ],
  ])('are refused: %s', async (_, body, param) => {
    const response = await fetch(`${simulator.url}/v1/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANTHROPIC_HEADERS, at, call, callStream, dataOf } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const HELLO = { model: 'm', max_tokens: 2_000, messages: [{ role: 'user', content: 'Hello' }] };
const THINKING = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
const TOOLS = { tools: [{ name: 'weather', input_schema: { type: 'object' } }] };

function ask(fields: object, headers: Record<string, string> = ANTHROPIC_HEADERS) {
  return call(`${simulator.url}/v1/messages`, { ...HELLO, ...fields }, headers);
}

function askStream(fields: object) {
  return callStream(`${simulator.url}/v1/messages`, { ...HELLO, stream: true, ...fields }, ANTHROPIC_HEADERS);
}

describe('buffered messages', () => {
  it('are marked as simulated, with every field', async () => {
    expect((await ask({})).json).toEqual({
      id: expect.stringMatching(/^msg_sim/),
      type: 'message',
      role: 'assistant',
      model: 'm',
      container: null,
      diagnostics: null,
      content: [{ type: 'text', text: 'This is a simulated answer: no model was called.', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 9,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: null,
        service_tier: 'standard',
        inference_geo: null,
        speed: 'standard',
      },
    });
  });

  it('count cache reads and both writes separately from other input', async () => {
    const simulate = { cached_tokens: 2, cache_write_5m_tokens: 3, cache_write_1h_tokens: 1 };
    expect(at((await ask({ simulate })).json, 'usage')).toMatchObject({
      input_tokens: 3,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 4,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 1 },
    });
  });

  it.each([
    [{ max_tokens: 3 }, 'max_tokens'],
    [{ stop_sequences: ['simulated'] }, 'stop_sequence'],
    [{ ...TOOLS, tool_choice: { type: 'any' } }, 'tool_use'],
    [{ simulate: { refusal: 'I will not.' } }, 'refusal'],
    [{ simulate: { finish_reason: 'pause' } }, 'pause_turn'],
    [{ simulate: { finish_reason: 'context' } }, 'model_context_window_exceeded'],
  ])('end for a reason: %j', async (fields, reason) => {
    expect(at((await ask(fields)).json, 'stop_reason')).toBe(reason);
  });

  it('stop before a stop sequence and name it', async () => {
    const { json } = await ask({ stop_sequences: ['never', ' model'] });
    expect(json).toMatchObject({
      content: [{ text: 'This is a simulated answer: no' }],
      stop_sequence: ' model',
      usage: { output_tokens: 6 },
    });
  });

  it('cite sources', async () => {
    const simulate = { text: 'Ulm is old', citations: [{ url: 'https://a.example', title: 'A', end: 3 }] };
    expect(at((await ask({ simulate })).json, 'content', 0, 'citations')).toEqual([
      {
        type: 'web_search_result_location',
        cited_text: 'Ulm',
        encrypted_index: expect.any(String),
        title: 'A',
        url: 'https://a.example',
      },
    ]);
  });

  it('fit a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Ulm'] }, list: { type: 'array', items: { type: 'integer' } } },
      required: ['city', 'list'],
      additionalProperties: false,
    };
    const { json } = await ask({ output_config: { format: { type: 'json_schema', schema } } });
    expect(JSON.parse(String(at(json, 'content', 0, 'text')))).toEqual({ city: 'Ulm', list: [1] });
  });

  it('echo the request', async () => {
    const { json } = await ask({ system: 'Be kind', temperature: 0.5, ...TOOLS, simulate: { echo: true } });
    expect(JSON.parse(String(at(json, 'content', 0, 'text')))).toMatchObject({
      protocol: 'anthropic-messages',
      system: ['Be kind'],
      turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }],
      tools: [{ name: 'weather' }],
      settings: { temperature: 0.5, limit: 2_000 },
    });
  });
});

describe('streams', () => {
  it('have the events of real messages, in order', async () => {
    const simulate = { reasoning: 'Hm', text: 'Hi', tool_calls: [{ name: 'weather', arguments: '{"a":1}' }] };
    const events = await askStream({ ...THINKING, ...TOOLS, simulate });
    expect(events.map((event) => event.name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const data = dataOf(events);
    expect(data.map((event) => at(event, 'type'))).toEqual(events.map((event) => event.name));
    expect(data.flatMap((event) => at(event, 'delta', 'type') ?? [])).toEqual([
      'thinking_delta',
      'signature_delta',
      'text_delta',
      'input_json_delta',
      'input_json_delta',
      'input_json_delta',
    ]);
    expect(at(data.at(-2), 'delta', 'stop_reason')).toBe('tool_use');
    expect(at(data.at(-2), 'usage', 'output_tokens')).toBe(4);
  });

  it("break as controlled, in the provider's format", async () => {
    const failing = await askStream({ simulate: { error_after_events: 4 } });
    expect(failing.at(-1)).toMatchObject({ name: 'error' });
    expect(dataOf(failing).at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    const cut = await askStream({ simulate: { no_done: true } });
    expect(cut.at(-1)?.name).toBe('message_delta');
    expect(await askStream({ simulate: { end_after_events: 2 } })).toHaveLength(2);
  });
});

describe('the next turn', () => {
  async function firstTurn() {
    const simulate = { reasoning: 'Hm', tool_calls: [{ name: 'weather' }, { name: 'weather' }] };
    const { json } = await ask({ ...THINKING, ...TOOLS, simulate });
    const content = at(json, 'content');
    if (!Array.isArray(content)) throw new Error('no content');
    return content;
  }

  function secondTurn(content: unknown[], ids: unknown[]) {
    const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'sunny' }));
    const messages = [...HELLO.messages, { role: 'assistant', content }, { role: 'user', content: results }];
    return ask({ ...THINKING, ...TOOLS, messages });
  }

  it('accepts unchanged thinking, calls and results', async () => {
    const content = await firstTurn();
    const ids = content.flatMap((block) => at(block, 'id') ?? []);
    expect(ids).toHaveLength(2);
    expect((await secondTurn(content, ids)).status).toBe(200);
  });

  it.each([
    {
      what: 'a result',
      turnsWith: (found: object) => [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [found] }] },
      ],
    },
    {
      what: 'a search of the provider',
      turnsWith: (found: object) => [
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: { query: 'q' } },
            {
              type: 'tool_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: { type: 'tool_search_tool_search_result', tool_references: [found] },
            },
          ],
        },
        { role: 'user', content: 'And now?' },
      ],
    },
  ])('accepts $what that refers to a tool, if it is declared', async ({ turnsWith }) => {
    const asking = (name: string) =>
      ask({ ...TOOLS, messages: [...HELLO.messages, ...turnsWith({ type: 'tool_reference', tool_name: name })] });
    expect((await asking('weather')).status).toBe(200);
    expect(await asking('news')).toMatchObject({
      status: 400,
      json: { error: { message: "Tool reference 'news' not found in available tools" } },
    });
  });

  it.each([
    [
      'a changed thought',
      (content: object[]) => [{ ...content[0], thinking: 'Other' }, ...content.slice(1)],
      /signature/,
    ],
    [
      'a foreign signature',
      (content: object[]) => [{ ...content[0], signature: 'c2ln' }, ...content.slice(1)],
      /signature/,
    ],
    ['no thinking', (content: object[]) => content.slice(1), /must start with a thinking block/],
    ['thinking at the end', (content: object[]) => [...content, content[0] ?? {}], /cannot be `thinking`/],
  ])('refuses %s', async (_, change, message) => {
    const content = await firstTurn();
    const ids = content.flatMap((block) => at(block, 'id') ?? []);
    const { status, json } = await secondTurn(change(content), ids);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(message) },
    });
  });

  it('rejects results without calls, and calls without results', async () => {
    const content = await firstTurn();
    const [first, second] = content.flatMap((block) => at(block, 'id') ?? []);
    const missing = await secondTurn(content, [first]);
    expect(at(missing.json, 'error', 'message')).toContain(String(second));
    expect(at((await secondTurn(content, [first, second, 'toolu_x'])).json, 'error', 'message')).toContain('toolu_x');
  });
});

describe('rejections', () => {
  it.each([
    ['no limit', { max_tokens: undefined }, /^max_tokens: Field required/],
    ['an unknown field', { seed: 1 }, /^seed: Extra inputs/],
    [
      'an unknown field of a block',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', foo: 1 }] }] },
      /foo/,
    ],
    ['a temperature over 1', { temperature: 1.2 }, /^temperature/],
    ['a budget that is not below the limit', { ...THINKING, max_tokens: 1_024 }, /max_tokens/],
    [
      'a thinking budget with a forced tool',
      { ...THINKING, ...TOOLS, tool_choice: { type: 'any' } },
      /forces tool use/,
    ],
    [
      'thinking with words to go on from that were not thought of',
      {
        ...THINKING,
        messages: [...HELLO.messages, { role: 'assistant', content: [{ type: 'text', text: 'a' }] }],
      },
      /Expected `thinking`/,
    ],
    ['thinking with a temperature', { ...THINKING, temperature: 0.5 }, /temperature/],
    ['an empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, /non-empty/],
    ['an empty message', { messages: [{ role: 'user', content: '' }] }, /non-empty/],
    ['an assistant first', { messages: [{ role: 'assistant', content: 'a' }] }, /first message/],
    ['an unknown role', { messages: [{ role: 'tool', content: 'a' }] }, /role/],
    ['a schema of no object', { tools: [{ name: 'a', input_schema: { type: 'string' } }] }, /input_schema/],
    ['two tools of a name', { tools: [...TOOLS.tools, ...TOOLS.tools] }, /unique/],
    ['a choice without tools', { tool_choice: { type: 'auto' } }, /tool_choice/],
    ['a tool that is not there', { ...TOOLS, tool_choice: { type: 'tool', name: 'other' } }, /not found/],
    [
      'an open schema for the answer',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object', properties: {} } } } },
      /additionalProperties/,
    ],
    [
      'five cache breakpoints',
      { system: Array.from({ length: 5 }, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })) },
      /maximum of 4/,
    ],
    ['an image of another kind', { messages: [{ role: 'user', content: [imageOf('image/bmp')] }] }, /media_type/],
    ['an unknown control', { simulate: { colour: 1 } }, /colour/],
  ])('%s', async (_, fields, message) => {
    const { status, json } = await ask(fields);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { type: 'invalid_request_error', message: expect.stringMatching(message) } });
  });

  function imageOf(mediaType: string) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data: 'AAAA' } };
  }

  it('a missing or unknown version', async () => {
    expect((await ask({}, {})).status).toBe(400);
    expect((await ask({}, { 'anthropic-version': '1' })).status).toBe(400);
  });

  it.each([
    [401, 'authentication_error'],
    [429, 'rate_limit_error'],
    [529, 'overloaded_error'],
    ['context_length_exceeded', 'invalid_request_error'],
  ])('as asked: %s', async (fail, type) => {
    expect((await ask({ simulate: { fail } })).json).toMatchObject({ type: 'error', error: { type } });
  });
});

it('counts tokens like the response', async () => {
  const { model, messages } = HELLO;
  const counted = await call(`${simulator.url}/v1/messages/count_tokens`, { model, messages }, ANTHROPIC_HEADERS);
  expect(counted.json).toEqual({ input_tokens: 9 });
  const limited = await call(`${simulator.url}/v1/messages/count_tokens`, HELLO, ANTHROPIC_HEADERS);
  expect(limited.status).toBe(400);
});

import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, callStream, dataOf } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
  client = new OpenAI({ apiKey: 'sim-key', baseURL: `${simulator.url}/v1`, maxRetries: 0, timeout: 5_000 });
});
afterAll(() => simulator.stop(100));

const HELLO = { model: 'm', input: 'Hello' };
const TOOLS = { tools: [{ type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false }] };
const ENCRYPTED = { store: false, include: ['reasoning.encrypted_content'] };

function ask(fields: object) {
  return call(`${simulator.url}/v1/responses`, { ...HELLO, ...fields });
}

function askStream(fields: object) {
  return callStream(`${simulator.url}/v1/responses`, { ...HELLO, stream: true, ...fields });
}

describe('buffered responses', () => {
  it('are marked as simulated, and echo the fields of the request', async () => {
    const response = await client.responses.create({ ...HELLO, temperature: 0.5, metadata: { a: 'b' } });
    expect(response.output_text).toBe('This is a simulated answer: no model was called.');
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      completed_at: 1_735_689_600,
      temperature: 0.5,
      metadata: { a: 'b' },
      tool_choice: 'auto',
      truncation: 'disabled',
      usage: { input_tokens: 9, output_tokens: 9, total_tokens: 18 },
    });
  });

  it('are incomplete at the limit', async () => {
    const { json } = await ask({ max_output_tokens: 16, simulate: { output_tokens: 'max' } });
    expect(json).toMatchObject({
      status: 'incomplete',
      completed_at: null,
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 16 },
    });
  });

  it.each([
    [{ refusal: 'No' }, { status: 'completed', output: [{ content: [{ type: 'refusal', refusal: 'No' }] }] }],
    [{ finish_reason: 'content_filter' }, { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    [{ finish_reason: 'failed' }, { status: 'failed', error: { code: 'server_error' } }],
  ])('end otherwise as asked: %j', async (simulate, expected) => {
    expect((await ask({ simulate })).json).toMatchObject(expected);
  });

  it('show reasoning as requested', async () => {
    const simulate = { reasoning: 'Let me think', output_tokens: 1 };
    const hidden = (await ask({ simulate })).json;
    expect(at(hidden, 'output', 0)).toEqual({ type: 'reasoning', id: expect.stringMatching(/^rs_/), summary: [] });
    const shown = (await ask({ simulate, reasoning: { summary: 'auto' }, ...ENCRYPTED })).json;
    expect(at(shown, 'output', 0)).toMatchObject({
      summary: [{ type: 'summary_text', text: 'Let me think' }],
      encrypted_content: expect.any(String),
    });
    expect(at(hidden, 'usage', 'output_tokens_details')).toEqual({ reasoning_tokens: 3 });
  });

  it('return log probabilities and sources', async () => {
    const include = ['message.output_text.logprobs'];
    const simulate = { text: 'abcdefgh', citations: [{ url: 'https://a.example', title: 'A', end: 4 }] };
    expect(at((await ask({ include, top_logprobs: 1, simulate })).json, 'output', 0, 'content', 0)).toMatchObject({
      annotations: [{ type: 'url_citation', start_index: 0, end_index: 4, url: 'https://a.example', title: 'A' }],
      logprobs: [{ token: 'abcd', top_logprobs: [{ token: 'abcd' }] }, { token: 'efgh' }],
    });
  });

  it('call custom tools with free text', async () => {
    const tools = [{ type: 'custom', name: 'run' }];
    const { json } = await ask({ tools, simulate: { tool_calls: [{ name: 'run', arguments: 'ls -l' }] } });
    expect(at(json, 'output', 0)).toMatchObject({ type: 'custom_tool_call', name: 'run', input: 'ls -l' });
  });
});

describe('streams', () => {
  it('have the events of real responses, numbered, and end with the complete response', async () => {
    const simulate = { reasoning: 'Hm', text: 'Hi', tool_calls: [{ name: 'weather' }] };
    const events = await askStream({ ...TOOLS, reasoning: { summary: 'auto' }, simulate });
    expect(events.map((event) => event.name?.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    const data = dataOf(events);
    expect(data.map((event) => at(event, 'sequence_number'))).toEqual(data.map((_, index) => index));
    const buffered = (await ask({ ...TOOLS, reasoning: { summary: 'auto' }, simulate })).json;
    expect(at(data.at(-1), 'response', 'usage')).toEqual(at(buffered, 'usage'));
    const done = data.filter((event) => at(event, 'type') === 'response.output_item.done');
    expect(done.map((event) => at(event, 'item'))).toEqual(at(data.at(-1), 'response', 'output'));
  });

  it('are assembled by the SDK', async () => {
    const stream = client.responses.stream({ ...HELLO, input: 'Hi [simulate {"text": "streamed text"}]' });
    expect((await stream.finalResponse()).output_text).toBe('streamed text');
  });

  it("break as controlled, in the provider's format", async () => {
    const failing = await askStream({ simulate: { error_after_events: 3 } });
    expect(failing.at(-1)?.name).toBe('error');
    expect(dataOf(failing).at(-1)).toMatchObject({ type: 'error', code: 'server_error', sequence_number: 3 });
    expect((await askStream({ simulate: { finish_reason: 'failed' } })).at(-1)?.name).toBe('response.failed');
    expect((await askStream({ simulate: { no_done: true } })).at(-1)?.name).toBe('response.output_item.done');
  });
});

describe('the next turn', () => {
  async function firstTurn() {
    const simulate = { reasoning: 'Hm', tool_calls: [{ name: 'weather' }] };
    const output = at((await ask({ ...TOOLS, ...ENCRYPTED, simulate })).json, 'output');
    if (!Array.isArray(output)) throw new Error('no output');
    return output;
  }

  function secondTurn(output: unknown[], callId: unknown) {
    const result = { type: 'function_call_output', call_id: callId, output: 'sunny' };
    return ask({ ...TOOLS, ...ENCRYPTED, input: [{ role: 'user', content: 'Hello' }, ...output, result] });
  }

  it('accepts unchanged items', async () => {
    const output = await firstTurn();
    expect((await secondTurn(output, at(output, 1, 'call_id'))).status).toBe(200);
  });

  it.each([
    ['reasoning of another item', (items: object[]) => [{ ...items[0], id: 'rs_other' }, items[1] ?? {}], /item_id/],
    [
      'foreign reasoning',
      (items: object[]) => [{ ...items[0], encrypted_content: 'c2ln' }, items[1] ?? {}],
      /could not be verified/,
    ],
    [
      'reasoning that is not stored',
      (items: object[]) => [{ ...items[0], encrypted_content: null }, items[1] ?? {}],
      /not found/,
    ],
    [
      'reasoning without what it led to',
      (items: object[]) => [items[1] ?? {}, items[0] ?? {}],
      /required following item/,
    ],
    ['ids of another kind', (items: object[]) => [items[0] ?? {}, { ...items[1], id: 'call_1' }], /begins with 'fc'/],
  ])('refuses %s', async (_, change, message) => {
    const output = await firstTurn();
    const { status, json } = await secondTurn(change(output), at(output, 1, 'call_id'));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(json).toMatchObject({ error: { type: 'invalid_request_error', message: expect.stringMatching(message) } });
  });

  it('rejects results without calls, and calls without results', async () => {
    const output = await firstTurn();
    expect(at((await secondTurn(output, 'call_x')).json, 'error', 'message')).toContain('call_x');
    expect(at((await ask({ ...TOOLS, input: output })).json, 'error', 'message')).toContain('No tool output found');
  });
});

describe('rejections', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } };

  it.each([
    ['a field of chat completions', { stop: ['a'] }, 'stop'],
    ['a limit below 16', { max_output_tokens: 15 }, 'max_output_tokens'],
    ['a temperature over 2', { temperature: 2.1 }, 'temperature'],
    [
      'parts of chat completions',
      { input: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] },
      'input[0].content[0].type',
    ],
    [
      'input parts of the assistant',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }] },
      'input[0].content[0].type',
    ],
    ['a tool of chat completions', { tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools[0].name'],
    [
      'a strict tool that is open',
      { tools: [{ type: 'function', name: 'a', parameters: open, strict: true }] },
      'tools[0].parameters',
    ],
    [
      'a strict schema that is open',
      { text: { format: { type: 'json_schema', name: 'a', schema: open, strict: true } } },
      'text.format.schema',
    ],
    ['JSON format without mention of JSON', { text: { format: { type: 'json_object' } } }, 'input'],
    ['a stored response', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a stored item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input'],
    [
      'a stored file',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
      'input[0].content[0].file_id',
    ],
    ['a tool that is not there', { ...TOOLS, tool_choice: { type: 'function', name: 'other' } }, 'tool_choice'],
    ['background mode', { background: true }, 'background'],
    ['an unknown control', { simulate: { colour: 1 } }, 'simulate'],
  ])('%s', async (_, fields, param) => {
    const { status, json } = await ask(fields);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(json).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });
});

it('counts tokens like the response', async () => {
  const counted = await call(`${simulator.url}/v1/responses/input_tokens`, HELLO);
  expect(counted.json).toEqual({ object: 'response.input_tokens', input_tokens: 9 });
});

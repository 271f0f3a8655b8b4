import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, callStream, dataOf } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const USER = { role: 'user', content: 'Hello' };
const HELLO = { model: 'm', messages: [USER] };
const TOOLS = { tools: [{ type: 'function', function: { name: 'weather' } }] };
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };

function ask(fields: object) {
  return call(`${simulator.url}/v1/chat/completions`, { ...HELLO, ...fields });
}

describe('a chat completion is rejected for', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } };

  it.each([
    ['an unknown field', { top_k: 3 }, 'top_k'],
    ['an unknown field of a message', { messages: [{ ...USER, cache_control: {} }] }, 'messages[0].cache_control'],
    [
      'a field of the message in its text',
      { messages: [USER, { role: 'assistant', content: [{ type: 'text', text: 'a', annotations: [] }] }, USER] },
      'messages[1].content[0].annotations',
    ],
    ['an unknown role', { messages: [{ role: 'model', content: 'a' }] }, 'messages[0].role'],
    ['no content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
    [
      'a part of another protocol',
      { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'a' }] }] },
      'messages[0].content[0].type',
    ],
    [
      'an image of another kind',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'a.png' } }] }] },
      'messages[0].content[0].image_url.url',
    ],
    [
      'an image as the result of a tool',
      {
        messages: [
          USER,
          {
            role: 'tool',
            tool_call_id: 'a',
            content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }],
          },
        ],
      },
      'messages[1].content[0].type',
    ],
    ['a temperature over 2', { temperature: 2.5 }, 'temperature'],
    ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    ['an unknown effort', { reasoning_effort: 'extreme' }, 'reasoning_effort'],
    ['alternatives without log probabilities', { top_logprobs: 2 }, 'top_logprobs'],
    ['metadata that is not stored', { metadata: { a: 'b' } }, 'metadata'],
    ['stream options without a stream', { stream_options: { include_usage: true } }, 'stream_options'],
    [
      'a result without its call',
      { messages: [USER, { role: 'tool', tool_call_id: 'a', content: 'b' }] },
      'messages.[1].role',
    ],
    [
      'a call without its result',
      { messages: [USER, { role: 'assistant', tool_calls: [CALL] }, USER] },
      'messages.[2].role',
    ],
    [
      'a call id that is too long',
      { messages: [USER, { role: 'assistant', tool_calls: [{ ...CALL, id: 'c'.repeat(41) }] }] },
      'messages[1].tool_calls[0].id',
    ],
    [
      'a strict tool that is open',
      { tools: [{ type: 'function', function: { name: 'a', parameters: open, strict: true } }] },
      'tools[0].function.parameters',
    ],
    [
      'a strict schema that is open',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: open, strict: true } } },
      'response_format',
    ],
    ['JSON format without mention of JSON', { response_format: { type: 'json_object' } }, 'messages'],
    ['a choice without tools', { tool_choice: 'auto' }, 'tool_choice'],
    [
      'a tool that is not there',
      { ...TOOLS, tool_choice: { type: 'function', function: { name: 'other' } } },
      'tool_choice',
    ],
    [
      'a stored file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      'messages[0].content[0].file.file_id',
    ],
  ])('%s', async (_, fields, param) => {
    const { status, json } = await ask(fields);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  it('but not for fields with the prefix for unknown fields', async () => {
    expect((await ask({ x_any: 1, messages: [{ ...USER, x_other: {} }] })).status).toBe(200);
  });
});

describe('newer controls', () => {
  it('reasoning is text, and signed if requested', async () => {
    const simulate = { reasoning: 'Let me think', reasoning_details: true, text: 'Hi' };
    const { json } = await ask({ simulate });
    const message = at(json, 'choices', 0, 'message');
    expect(message).toMatchObject({
      content: 'Hi',
      reasoning_content: 'Let me think',
      reasoning_details: [{ type: 'reasoning.text', text: 'Let me think', signature: expect.any(String) }],
    });
    const details = at(message, 'reasoning_details', 0);
    const next = (detail: unknown) =>
      ask({ messages: [USER, { role: 'assistant', content: 'Hi', reasoning_details: [detail] }, USER] });
    expect((await next(details)).status).toBe(200);
    expect((await next({ type: 'reasoning.text', text: 'a', signature: 'c2ln' })).status).toBe(400);
    const events = dataOf(
      await callStream(`${simulator.url}/v1/chat/completions`, { ...HELLO, stream: true, simulate }),
    );
    const reported = events.map((event) => at(event, 'choices', 0, 'delta', 'reasoning_content') ?? '').join('');
    expect(reported).toBe('Let me think');
  });

  it('a rejection, sources and log probabilities', async () => {
    const refused = await ask({ simulate: { refusal: 'No' } });
    expect(at(refused.json, 'choices', 0)).toMatchObject({
      message: { content: null, refusal: 'No' },
      finish_reason: 'stop',
    });
    const simulate = { text: 'abcdef', citations: [{ url: 'https://a.example' }] };
    expect(at((await ask({ logprobs: true, top_logprobs: 2, simulate })).json, 'choices', 0)).toMatchObject({
      message: { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', end_index: 6 } }] },
      logprobs: { content: [{ token: 'abcd', bytes: [97, 98, 99, 100], top_logprobs: [{}, {}] }, { token: 'ef' }] },
    });
  });

  it('a directive of an earlier turn has no effect', async () => {
    const directive = { role: 'user', content: '[simulate {"tool_calls": [{"name": "weather"}]}]' };
    const first = await ask({ ...TOOLS, messages: [directive] });
    const message = at(first.json, 'choices', 0, 'message');
    const result = {
      role: 'tool',
      tool_call_id: at(message, 'tool_calls', 0, 'id'),
      name: 'weather',
      content: 'sunny',
    };
    const calls = { role: 'assistant', tool_calls: at(message, 'tool_calls') };
    const second = await ask({ ...TOOLS, messages: [directive, calls, result] });
    expect(at(second.json, 'choices', 0, 'finish_reason')).toBe('stop');
    const reported = { ...result, content: 'sunny [simulate {"text": "from the result"}]' };
    const third = await ask({ ...TOOLS, messages: [directive, calls, reported] });
    expect(at(third.json, 'choices', 0, 'message', 'content')).toBe('from the result');
  });
});

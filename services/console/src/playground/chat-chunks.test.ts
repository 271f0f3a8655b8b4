import { describe, expect, it } from 'vitest';
import { ChatChunks } from './chat-chunks.ts';

const chunk = (delta: object, more: object = {}) => JSON.stringify({ choices: [{ index: 0, delta, ...more }] });
const TIMES = { firstTokenMs: 5, durationMs: 9 };

describe('chunks of a chat response', () => {
  it('become text, reasoning and tool calls', () => {
    const chunks = new ChatChunks();
    const call = { index: 1, id: 'c', type: 'function', function: { name: 'look', arguments: '{"a"' } };
    const events = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'hm' }),
      chunk({ content: 'Hi' }),
      chunk({ content: null, refusal: 'no' }),
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: ':1}' } }] }),
    ].flatMap((json) => chunks.read(json));
    expect(events).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'delta', text: 'Hi' },
      { type: 'delta', text: 'no' },
      { type: 'tool_call', index: 1, name: 'look', arguments: '{"a"' },
      { type: 'tool_call', index: 1, name: null, arguments: ':1}' },
    ]);
  });

  it('end with usage and the exact cost, also a very small one', () => {
    const chunks = new ChatChunks();
    chunks.read(chunk({}, { finish_reason: 'stop' }));
    chunks.read('{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9,"cost":0.000000003}}');
    expect(chunks.done(TIMES)).toEqual({
      type: 'done',
      finish_reason: 'stop',
      input_tokens: 7,
      output_tokens: 2,
      cost: '0.000000003',
      first_token_ms: 5,
      duration_ms: 9,
    });
  });

  it('may end without usage', () => {
    expect(new ChatChunks().done({ firstTokenMs: null, durationMs: 1 })).toMatchObject({
      cost: null,
      input_tokens: null,
    });
  });

  it('may be an error after the stream has begun', () => {
    const json = '{"error":{"message":"The provider failed.","type":"internal_error","code":502},"trace_id":"t"}';
    expect(new ChatChunks().read(json)).toEqual([
      { type: 'error', message: 'The provider failed.', error_type: 'internal_error', trace_id: 't' },
    ]);
  });

  it('that are not JSON, or have another shape, are errors that do not quote them', () => {
    for (const json of ['{"secret text', '[]', '{"choices":[{"delta":{"content":5}}]}']) {
      expect(() => new ChatChunks().read(json)).toThrow(/^a chunk of the response is not one of a chat completion$/);
    }
  });
});

import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from './parse.ts';

function errorOf(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const result = runToEnd(parseRequest(Buffer.from(text)));
  return result.ok ? 'read' : result.error.message;
}

const MINIMAL = { model: 'm', input: 'hi' };
const item = (value: unknown) => ({ model: 'm', input: [{ role: 'user', content: 'hi' }, value] });

describe('parseRequest', () => {
  test.each<[string, unknown]>([
    ['a text', MINIMAL],
    ['an empty list', { model: 'm', input: [] }],
    ['a message without a type', item({ role: 'developer', content: 'x' })],
    [
      'an earlier response',
      item({ type: 'message', role: 'assistant', id: 'msg_1', status: 'completed', content: [] }),
    ],
    ['a tool call', item({ type: 'function_call', call_id: 'c', name: 'f', arguments: '' })],
    [
      'a result of parts',
      item({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 't' }] }),
    ],
    ['reasoning', item({ type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: null })],
    ['an item of a type of its own', item({ type: 'shell_call', call_id: 'c', action: {} })],
    ['unknown fields', { ...MINIMAL, x: { y: 1 } }],
    [
      'null for what is not set',
      { ...MINIMAL, tools: null, text: null, reasoning: null, temperature: null, stream: null },
    ],
  ])('decodes %s', (_, body) => {
    expect(errorOf(body)).toBe('read');
  });

  test.each<[string, unknown, string]>([
    ['no model', { input: 'hi' }, 'model: required, but missing'],
    ['no input', { model: 'm' }, 'input: required, but missing'],
    ['a key twice', '{"model":"m","model":"n","input":"hi"}', 'model: the key appears more than once in its object'],
    ['a temperature out of range', { ...MINIMAL, temperature: 3 }, 'temperature: expected a number of at most 2'],
    ['no list of tools', { ...MINIMAL, tools: {} }, 'tools: expected an array, found an object'],
    [
      'a function without a name',
      { ...MINIMAL, tools: [{ type: 'function' }] },
      'tools[0].name: required, but missing',
    ],
    [
      'stream options without a stream',
      { ...MINIMAL, stream_options: { include_obfuscation: false } },
      'stream_options: only allowed when stream is true',
    ],
    ['a message without content', item({ role: 'user' }), 'input[1].content: required, but missing'],
    [
      'an unknown role',
      item({ role: 'tool', content: 'x' }),
      'input[1].role: expected "user", "assistant", "system" or "developer"',
    ],
    [
      'an unknown part',
      item({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
      'input[1].content[0].type: expected "input_text", "input_image", "input_file", "input_audio", "output_text" or "refusal"',
    ],
    [
      'a call without an id',
      item({ type: 'function_call', name: 'f', arguments: '' }),
      'input[1].call_id: required, but missing',
    ],
    ['an item whose type is no text', item({ type: 7 }), 'input[1].type: expected a string'],
  ])('rejects %s', (_, body, message) => {
    expect(errorOf(body)).toBe(message);
  });

  test.each([{ type: 'item_reference', id: 'msg_1' }, { id: 'msg_1' }])(
    'refuses a reference, and says what to do',
    (value) => {
      expect(errorOf(item(value))).toBe(
        'input[1]: a reference to an item that is not known here; send the item itself ' +
          '(with the Vercel AI SDK set providerOptions.openai.store to false)',
      );
    },
  );
});

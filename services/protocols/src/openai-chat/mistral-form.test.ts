import { describe, expect, test } from 'vitest';
import type { ModelParameters } from '../interface/parameters.ts';
import type { ClientRequest } from '../interface/protocol.ts';
import { runToEnd } from '../lists/stages.ts';
import { openaiChat } from './index.ts';

const FUNCTION = { name: 'f', parameters: { type: 'object' } };
const TOOL = { type: 'function', function: FUNCTION };
const CALLED = { role: 'assistant', content: '' };

function read(text: string): ClientRequest {
  const result = runToEnd(openaiChat.parseRequest(Buffer.from(text), { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

const textOf = (members: object) =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...members });

function sent(text: string, parameters: ModelParameters = {}): string {
  return read(text).editRequest({ upstreamModel: 'm', outputTokens: undefined, parameters }).toString();
}

describe('a request in Mistral’s form', () => {
  test.each<[string, object, object]>([
    ['calls forced by "any"', { tools: [TOOL], tool_choice: 'any' }, { tools: [TOOL], tool_choice: 'required' }],
    ['tools without a type', { tools: [{ function: FUNCTION }, TOOL] }, { tools: [TOOL, TOOL] }],
    [
      'a choice without a type',
      { tools: [TOOL], tool_choice: { function: { name: 'f' } } },
      { tool_choice: { type: 'function', function: { name: 'f' } } },
    ],
    [
      'images as bare URLs',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'https://a.example/b.png' }] }] },
      { messages: [{ content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] }] },
    ],
  ])('may have %s', (_, given, expected) => {
    expect(JSON.parse(sent(textOf(given)))).toMatchObject(expected);
  });

  test('may have calls without a type and with an object as input, whose numbers keep their digits', () => {
    const call = '{"id":"abcdefghi","function":{"name":"f","arguments":{"a": 1.0}}}';
    const messages = [
      { role: 'user', content: 'hi' },
      { ...CALLED, tool_calls: ['CALL'] },
    ];
    const text = textOf({ messages, temperature: 0.5 }).replace('"CALL"', call);
    expect(sent(text)).toContain(
      '"tool_calls":[{"id":"abcdefghi","function":{"name":"f","arguments":"{\\"a\\": 1.0}"},"type":"function"}]',
    );
  });

  test('is refused for what is wrong in both forms', () => {
    expect(() => read(textOf({ tool_choice: 'any', messages: [{ role: 'narrator' }] }))).toThrow(/^messages\[0\]/);
    expect(() => read(textOf({ tool_choice: 'some' }))).toThrow(/^tool_choice/);
  });

  test('loses what its SDKs add to each message, and the name of the seed, unless its provider takes no other', () => {
    const index = { id: 'abcdefghi', type: 'function', function: { name: 'f', arguments: '{}' }, index: 0 };
    const turn = { ...CALLED, tool_calls: [index], prefix: false };
    const text = textOf({ messages: [{ role: 'user', content: 'hi' }, turn], random_seed: 7 });
    const { index: _, ...call } = index;
    const body = JSON.parse(sent(text));
    expect(body['messages'][1]).toEqual({ ...CALLED, tool_calls: [call] });
    expect(body).toMatchObject({ seed: 7 });
    expect(body).not.toHaveProperty('random_seed');
    const own = JSON.parse(sent(text, { unsupported: ['seed'] }));
    expect(own).toMatchObject({ random_seed: 7 });
    expect(own).not.toHaveProperty('seed');
  });
});

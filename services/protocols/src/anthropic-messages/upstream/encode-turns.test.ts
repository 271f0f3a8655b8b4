import { describe, expect, test } from 'vitest';
import type { Message } from '../../canonical/message.ts';
import type { CanonicalRequest } from '../../canonical/request.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import { runToEnd } from '../../lists/stages.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import { encodeRequest } from './encode-request.ts';

const HELLO: Message = { role: 'user', parts: [{ type: 'text', text: 'Hi' }], at: 'input' };

function encode(members: Partial<CanonicalRequest>, parameters: ModelParameters = {}) {
  const diagnostics = new Diagnostics();
  const target = {
    upstreamModel: 'claude-x',
    outputTokens: undefined,
    isStream: false,
    maxOutputTokens: 32_000,
    parameters,
  };
  const body = runToEnd(encodeRequest({ messages: [HELLO], tools: [], names: {}, ...members }, target, diagnostics));
  return {
    body,
    warnings: diagnostics.warnings.map((warning) => warning.path),
    refusals: diagnostics.errors.map((warning) => warning.path),
    places: diagnostics.places(),
  };
}

describe('turns', () => {
  test('moves instructions to the beginning, with a warning', () => {
    const messages: Message[] = [
      { role: 'system', parts: [{ type: 'text', text: 'a' }], at: 'm0' },
      { ...HELLO, at: 'm1' },
      { role: 'developer', parts: [{ type: 'text', text: 'b' }], at: 'm2' },
    ];
    const { body, warnings, places } = encode({ messages });
    expect(body['system']).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    expect(warnings).toEqual(['m2']);
    expect(places.get('system[1]')).toBe('m2');
    expect(places.get('messages[0]')).toBe('m1');
  });

  test('a request with only instructions sends the last one as the user turn', () => {
    const { body, warnings } = encode({
      messages: [{ role: 'system', parts: [{ type: 'text', text: 'a' }], at: 'm0' }],
    });
    expect(body).toMatchObject({ messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] });
    expect(body).not.toHaveProperty('system');
    expect(warnings).toEqual(['m0']);
  });

  test('reasoning without a signature goes back only to a provider that takes it', () => {
    const reasoning = { type: 'reasoning', form: 'full', text: 'Hm', at: 'r' } as const;
    const signed = { ...reasoning, opaque: { origin: 'gemini', data: 'abc' } } as const;
    const messages: Message[] = [HELLO, { role: 'assistant', parts: [reasoning, signed, { type: 'text', text: 'a' }] }];
    const thought = { type: 'thinking', thinking: 'Hm', signature: '' };
    const text = { type: 'text', text: 'a' };
    const kept = encode({ messages }, { unsignedThinking: true });
    expect(kept).toMatchObject({ body: { messages: [{}, { content: [thought, thought, text] }] }, warnings: [] });
    expect(encode({ messages })).toMatchObject({ body: { messages: [{}, { content: [text] }] }, warnings: ['r'] });
  });

  test('results come first, ids are valid for Anthropic, and empty texts are dropped', () => {
    const call = { type: 'tool-call', id: 'functions.f:0', name: 'f', kind: 'function', input: '{"a": 1.0}' } as const;
    const result = { type: 'tool-result', callId: 'functions.f:0', kind: 'function', isError: true } as const;
    const { body } = encode({
      messages: [
        HELLO,
        { role: 'assistant', parts: [{ type: 'text', text: '' }, call] },
        { role: 'tool', parts: [{ ...result, parts: [{ type: 'text', text: 'no' }] }] },
        { role: 'user', parts: [{ type: 'text', text: 'So?' }] },
      ],
    });
    const text = JSON.stringify(body['messages']);
    const id = /"id":"([a-zA-Z0-9_-]+)"/.exec(text)?.[1];
    expect(text).toContain('"input":{"a":1.0}');
    expect(JSON.parse(text).slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: 'no' }], is_error: true },
          { type: 'text', text: 'So?' },
        ],
      },
    ]);
  });

  test('the last text of the assistant ends without white space', () => {
    const { body } = encode({ messages: [HELLO, { role: 'assistant', parts: [{ type: 'text', text: 'So: \n' }] }] });
    expect(body).toMatchObject({ messages: [{}, { content: [{ type: 'text', text: 'So:' }] }] });
    const blank = encode({ messages: [HELLO, { role: 'assistant', parts: [{ type: 'text', text: ' \n' }] }] });
    expect(blank.body['messages']).toHaveLength(1);
  });

  test('drops blank texts, and merges the turns around them', () => {
    const blank = { type: 'text', text: ' \n' } as const;
    const messages: Message[] = [
      { role: 'system', parts: [blank] },
      { role: 'user', parts: [blank, { type: 'text', text: 'a' }] },
      { role: 'assistant', parts: [blank] },
      { role: 'user', parts: [{ type: 'text', text: 'b' }] },
    ];
    const { body } = encode({ messages });
    expect(body).not.toHaveProperty('system');
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
    expect(encode({ messages: [{ role: 'user', parts: [blank], at: 'm' }] }).refusals).toEqual(['m']);
  });

  test('the user speaks first', () => {
    const hail: Message = { role: 'assistant', parts: [{ type: 'text', text: 'Hail!' }], at: 'm0' };
    const { body, warnings, places } = encode({ messages: [hail, { ...HELLO, at: 'm1' }] });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: expect.stringMatching(/\S/) }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hail!' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ]);
    expect(warnings).toEqual(['m0']);
    expect([places.get('messages[1]'), places.get('messages[2]')]).toEqual(['m0', 'm1']);
  });

  test('drops reasoning without output after it', () => {
    const opaque = { origin: 'anthropic-messages', data: 's' } as const;
    const thought = { type: 'reasoning', form: 'summary', text: 'Hm', opaque, at: 'thought' } as const;
    const said = { type: 'text', text: 'So' } as const;
    const cutOff = encode({ messages: [HELLO, { role: 'assistant', parts: [thought] }, HELLO] });
    expect(cutOff.body['messages']).toEqual([{ role: 'user', content: [expect.anything(), expect.anything()] }]);
    expect(cutOff.warnings).toEqual(['thought']);
    const between = encode({ messages: [HELLO, { role: 'assistant', parts: [thought, said, thought] }, HELLO] });
    expect(between.body).toMatchObject({ messages: [{}, { content: [{ type: 'thinking' }, { type: 'text' }] }, {}] });
  });

  test('rejects images of earlier responses', () => {
    const image = { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' }, at: 'it' } as const;
    expect(encode({ messages: [HELLO, { role: 'assistant', parts: [image] }, HELLO] }).refusals).toEqual(['it']);
    expect(encode({ messages: [{ role: 'user', parts: [image] }] }).refusals).toEqual([]);
  });

  test('a failure with media is stated in text', () => {
    const image = { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' } } as const;
    const call = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' } as const;
    const result = { type: 'tool-result', callId: 'c', kind: 'function', isError: true, at: 'r' } as const;
    const { body, warnings } = encode({
      messages: [HELLO, { role: 'assistant', parts: [call] }, { role: 'tool', parts: [{ ...result, parts: [image] }] }],
    });
    const [, , turn] = Array.isArray(body['messages']) ? body['messages'] : [];
    expect(turn).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c',
          content: [
            { type: 'text', text: 'The tool call failed:' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
          ],
        },
      ],
    });
    expect(warnings).toEqual(['r']);
  });

  test('cache breakpoints have no longer lifetime than those before them', () => {
    const marked = (text: string, ttl: '5m' | '1h') => ({ type: 'text', text, cache: { ttl } }) as const;
    const lives = (...parts: Extract<Message, { role: 'user' }>['parts']) => {
      const { body, warnings } = encode({ messages: [{ role: 'user', parts }], cache: { ttl: '1h' }, names: {} });
      return { lives: JSON.stringify(body).match(/(?<="ttl":")\d./g), warnings: warnings.length };
    };
    expect(lives(marked('a', '1h'), marked('b', '5m'), marked('c', '1h'))).toEqual({
      lives: ['1h', '5m', '5m', '5m'],
      warnings: 1,
    });
    expect(lives(marked('a', '1h'))).toEqual({ lives: ['1h', '1h'], warnings: 0 });
  });

  test('warnings about cache breakpoints name the first one concerned', () => {
    const marked = (ttl: '5m' | '1h', at: string) => ({ type: 'text', text: 'a', cache: { ttl }, at }) as const;
    const reported = (...parts: Extract<Message, { role: 'user' }>['parts']) =>
      encode({ messages: [{ role: 'user', parts, at: 'input[0]' }], names: {} }).warnings;
    expect(reported(marked('5m', 'input[0].content[0]'), marked('1h', 'input[0].content[1]'))).toEqual([
      'input[0].content[1]',
    ]);
    const five = [0, 1, 2, 3, 4].map((i) => marked('5m', `input[0].content[${i}]`));
    expect(reported(...five)).toEqual(['input[0].content[0]']);
  });

  test('only the last four cache breakpoints are sent', () => {
    const parts = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => ({ type: 'text', text, cache: {} }) as const);
    const { body, warnings } = encode({ messages: [{ role: 'user', parts }], names: {} });
    const content = JSON.stringify(body['messages']).match(/"text":"."(,"cache_control")?/g);
    expect(content).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((t, i) => `"text":"${t}"${i < 2 ? '' : ',"cache_control"'}`),
    );
    expect(warnings).toHaveLength(1);
  });
});

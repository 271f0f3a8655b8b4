import { describe, expect, test } from 'vitest';
import { bodyOf, parseText, shapeError } from '../../../testing/anthropic-messages/requests.ts';

describe('accepts what Anthropic accepts', () => {
  const TOOL = { name: 'f', input_schema: { type: 'object' } };
  test.each<[string, Record<string, unknown>]>([
    [
      'turns of one role after each other',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b' },
        ],
      },
    ],
    [
      'a prefilled response',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: '(' },
        ],
      },
    ],
    ['a limit of 0, which fills the cache', { max_tokens: 0 }],
    [
      'a budget above the limit, which interleaved thinking allows',
      { thinking: { type: 'enabled', budget_tokens: 9_999 } },
    ],
    [
      'instructions within the conversation',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'system', content: 'b' },
        ],
      },
    ],
    ['a tool without a type, and one of type custom', { tools: [TOOL, { ...TOOL, type: 'custom', name: 'g' }] }],
    [
      'tools that Anthropic defines',
      { tools: [{ type: 'bash_20250124', name: 'bash' }, { type: 'computer_toolset_20260801' }] },
    ],
    [
      'a result without content',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] },
    ],
    [
      'null where a field may be absent',
      { system: null, tools: null, thinking: null, cache_control: null, container: null },
    ],
    ['members that are not known here', { anything: [1], messages: [{ role: 'user', content: 'a', other: {} }] }],
  ])('%s', (_name, members) => {
    expect(shapeError(members)).toBeUndefined();
  });
});

describe('rejects by name', () => {
  test.each<[string, Record<string, unknown>]>([
    ['messages[0].role: expected "user", "assistant" or "system"', { messages: [{ role: 'tool', content: 'a' }] }],
    ['max_tokens: expected a number, found a string', { max_tokens: '12' }],
    ['messages: expected at least 1 element', { messages: [] }],
    ['temperature: expected a number of at most 1', { temperature: 1.5 }],
    [
      'thinking.budget_tokens: expected a number of at least 1024',
      { thinking: { type: 'enabled', budget_tokens: 10 } },
    ],
    ['tools[0].input_schema: required, but missing', { tools: [{ name: 'f' }] }],
    ['tools[0].name: required, but missing', { tools: [{ type: 'custom', input_schema: { type: 'object' } }] }],
    [
      'messages[0].content[0].text: required, but missing',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    ],
  ])('%s', (message, members) => {
    expect(shapeError(members)).toBe(message);
  });

  test('blocks of unknown kinds, which could cost more than their bytes', () => {
    const message = shapeError({
      messages: [{ role: 'user', content: [{ type: 'video', url: 'https://a.example' }] }],
    });
    expect(message).toMatch(/^messages\[0\]\.content\[0\]\.type: expected "text", "image"/);
  });

  test('duplicate keys', () => {
    const twice = JSON.stringify(bodyOf({})).replace('"max_tokens"', '"max_tokens":1,"max_tokens"');
    expect(() => parseText(twice)).toThrow('max_tokens: the key appears more than once in its object');
  });
});

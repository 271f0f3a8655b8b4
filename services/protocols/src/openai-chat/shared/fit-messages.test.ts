import { describe, expect, test } from 'vitest';
import type { ModelParameters, ReasoningHistory } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import { fitMessages } from './fit-messages.ts';

function fitting(messages: readonly JsonRecord[], parameters: ModelParameters) {
  const { messages: fitted, warnings } = fitMessages(messages, parameters);
  return { messages: fitted.map(({ message }) => message), warnings };
}

const call = (id: string, input = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: input } });

describe('reasoning of an earlier message', () => {
  const GIVEN: readonly (readonly [string, JsonRecord])[] = [
    ['reasoning_content', { content: 'said', reasoning_content: 'thought' }],
    ['reasoning', { content: 'said', reasoning: 'thought' }],
    ['both names', { content: 'said', reasoning: 'thought', reasoning_content: 'thought' }],
    ['reasoning_details', { content: 'said', reasoning_details: [{ type: 'reasoning.text', text: 'thought' }] }],
    ['thinking parts', { content: [thinkingPart('thought'), { type: 'text', text: 'said' }] }],
  ];
  const text = [{ type: 'text', text: 'said' }];

  test.each(GIVEN)('in %s goes where the provider takes it', (_, given) => {
    const moved = (reasoningHistory: ReasoningHistory) => {
      const { messages, warnings } = fitting([{ role: 'assistant', ...given }], { reasoningHistory });
      return { ...messages[0], warnings: warnings.length };
    };
    const content = typeof given['content'] === 'string' ? 'said' : text;
    const common = { role: 'assistant', content, warnings: 0 };
    expect(moved('reasoning_content')).toEqual({ ...common, reasoning_content: 'thought' });
    expect(moved('reasoning')).toEqual({ ...common, reasoning: 'thought' });
    expect(moved('thinking_parts')).toEqual({ ...common, content: [thinkingPart('thought'), ...text] });
    expect(moved('none')).toEqual({ ...common, warnings: 1 });
    expect(moved('reasoning_details')).toMatchObject({
      role: 'assistant',
      content,
      reasoning_details: [{ type: 'reasoning.text', text: 'thought' }],
    });
  });

  test('goes back unmodified as details, which may be only encrypted', () => {
    const details = [
      { type: 'reasoning.encrypted', data: 'opaque', id: 'rs_1', format: 'openai-responses-v1', index: 0 },
    ];
    const message = { role: 'assistant', content: null, reasoning_details: details };
    expect(fitting([message], { reasoningHistory: 'reasoning_details' }).messages[0]).toBe(message);
    expect(fitting([message], { reasoningHistory: 'reasoning' })).toEqual({
      messages: [{ role: 'assistant', content: null }],
      warnings: [{ index: 0, field: 'reasoning_details', message: expect.stringContaining('left out') }],
    });
  });

  test('is empty where the provider requires it and the client lost it', () => {
    const parameters = { reasoningHistory: 'reasoning_content', reasoningRequired: true } as const;
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [call('a')] },
    ];
    expect(fitting(messages, parameters).messages).toEqual([messages[0], { ...messages[1], reasoning_content: '' }]);
  });
});

describe('messages', () => {
  test('have the roles, contents and calls that the provider takes', () => {
    const { messages, warnings } = fitting(
      [
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'be ' },
            { type: 'text', text: 'brief' },
          ],
        },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('call_abcdefgh', 'no json'), call('Abc123def', '{"a":1.0}')],
        },
        { role: 'tool', tool_call_id: 'call_abcdefgh', content: [{ type: 'text', text: 'done' }] },
        { role: 'tool', tool_call_id: 'Abc123def', content: 'done' },
      ],
      {
        developerRole: false,
        contentParts: false,
        nullContent: false,
        toolCallIds: 'nine_alphanumeric',
        freeArguments: false,
      },
    );
    const id = messages[3]?.['tool_call_id'];
    expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [call(String(id), '{"INVALID_JSON":"no json"}'), call('Abc123def', '{"a":1.0}')],
      },
      { role: 'tool', tool_call_id: id, content: 'done' },
      { role: 'tool', tool_call_id: 'Abc123def', content: 'done' },
    ]);
    expect(warnings).toEqual([]);
  });

  test('have one instruction at the beginning, with a warning for those that were later', () => {
    const system = (content: string) => ({ role: 'system', content });
    const user = { role: 'user', content: 'hi' };
    const parameters = { lateSystemMessages: false };
    expect(fitting([system('a'), user], parameters)).toEqual({ messages: [system('a'), user], warnings: [] });
    expect(fitting([system('a'), system('b'), user], parameters)).toEqual({
      messages: [system('a\n\nb'), user],
      warnings: [],
    });
    expect(fitting([system('a'), user, system('b')], parameters)).toEqual({
      messages: [system('a\n\nb'), user],
      warnings: [{ index: 2, field: '', message: expect.stringContaining('moved to the beginning') }],
    });
    expect(fitting([user, system('b')], parameters).messages).toEqual([system('b'), user]);
  });

  test('alternate where the provider wants that, calls and their results aside', () => {
    const message = (role: string, content: unknown) => ({ role, content });
    const withCall = { role: 'assistant', content: null, tool_calls: [call('a')] };
    const { messages } = fitting(
      [
        message('user', 'one'),
        message('user', [{ type: 'text', text: 'two' }]),
        message('assistant', 'a'),
        message('assistant', 'b'),
        withCall,
        message('tool', 'x'),
        message('tool', 'y'),
        message('user', 'three'),
      ],
      { repeatedRoles: false },
    );
    expect(messages).toEqual([
      message('user', [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ]),
      message('assistant', 'a\n\nb'),
      withCall,
      message('tool', 'x'),
      message('tool', 'y'),
      message('user', 'three'),
    ]);
  });
});

function thinkingPart(text: string) {
  return { type: 'thinking', thinking: [{ type: 'text', text }] };
}

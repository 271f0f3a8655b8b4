import { expect, test } from 'vitest';
import type { OutputPart } from '../../canonical/part.ts';
import { generatedText } from '../shared/generated-text.ts';
import { decodeResponse } from './decode-response.ts';

function partsOf(message: object, finish = 'stop'): readonly OutputPart[] {
  const body = { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }] };
  const result = decodeResponse(Buffer.from(JSON.stringify(body)), { newId: () => 'new' });
  if (result.kind !== 'response') throw new Error(result.kind);
  return result.response.choices.flatMap(({ parts }) => parts);
}

const TEXT = { type: 'text', text: 'a' };
const THOUGHT = { type: 'reasoning', form: 'full', text: 'hm' };

test.each([
  ['of a Go server', { content: 'a', function_call: { name: '' }, tool_calls: null, refusal: '', audio: null }],
  ['of an empty call', { content: 'a', tool_calls: [{ id: '', function: { name: '' }, custom: { name: '' } }] }],
  ['of nothing', { content: 'a', tool_calls: [], function_call: null }],
])('stub fields are no calls: %s', (_, message) => {
  expect(partsOf(message)).toEqual([TEXT]);
});

test.each<[string, object]>([
  ['both names', { content: 'a', reasoning: 'hm', reasoning_content: 'hm' }],
  ['an empty first name', { content: 'a', reasoning: 'hm', reasoning_content: '' }],
  ['details too', { content: 'a', reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }],
  ['only details', { content: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }],
  [
    'parts',
    {
      content: [
        {
          type: 'thinking',
          thinking: [
            { type: 'text', text: 'h' },
            { type: 'text', text: 'm' },
          ],
        },
        TEXT,
      ],
    },
  ],
  ['a part with text', { content: [{ type: 'thinking', thinking: 'hm' }, TEXT] }],
])('reasoning is read and counted once: %s', (_, message) => {
  expect(partsOf(message)).toEqual([THOUGHT, TEXT]);
  expect([...generatedText({ ...message })].sort().join('')).toBe('ahm');
});

test('encrypted reasoning is kept', () => {
  const details = [
    { type: 'reasoning.summary', summary: 'hm', index: 0 },
    { type: 'reasoning.encrypted', data: 'secret', index: 1 },
  ];
  expect(partsOf({ content: 'a', reasoning: 'hm', reasoning_details: details })).toEqual([
    { type: 'reasoning', form: 'summary', text: 'hm' },
    { type: 'reasoning', form: 'full', text: '', opaque: { origin: 'openai-chat', data: 'secret' } },
    TEXT,
  ]);
});

test('calls are read with arguments as an object, without an id or a type, and beside stubs', () => {
  const calls = [
    { id: 'x', function: { name: 'f', arguments: { a: 1 } }, custom: { name: '' } },
    { function: { name: 'g', arguments: '{}' } },
    { id: 'y', type: 'custom', function: { name: '' }, custom: { name: 'p', input: 'in' } },
  ];
  expect(partsOf({ content: null, tool_calls: calls })).toEqual([
    { type: 'tool-call', id: 'x', kind: 'function', name: 'f', input: '{"a":1}' },
    { type: 'tool-call', id: 'call_new', kind: 'function', name: 'g', input: '{}' },
    { type: 'tool-call', id: 'y', kind: 'custom', name: 'p', input: 'in' },
  ]);
});

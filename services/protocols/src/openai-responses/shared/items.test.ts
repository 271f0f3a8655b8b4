import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { findItemReferences, replaceItemReferences } from './item-references.ts';
import { storableItems } from './storable-item.ts';

const MESSAGE = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [] };
const CALL = { id: 'fc_1', type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' };

describe('item references', () => {
  const body = Buffer.from(
    '{"model":"m", "input":[ {"role":"user","content":"hi"}, {"type":"item_reference","id":"msg_1"},{"id":"fc_1"} ,{"type":"function_call_output","id":"x","call_id":"c","output":"1"}]}',
  );

  test('are found with their places, with and without their type', () => {
    expect(runToEnd(findItemReferences(body))).toEqual([
      { id: 'msg_1', index: 1 },
      { id: 'fc_1', index: 2 },
    ]);
  });

  test.each([
    ['a text', '{"model":"m","input":"\\"id\\" item_reference"}'],
    ['no JSON', '{"input":[{"id":"a"}'],
    ['an input that is no list', '{"input":{"id":"a"}}'],
    ['no object', '[{"id":"a"}]'],
    ['nothing', ''],
  ])('are not found in %s', (_, text) => {
    expect(runToEnd(findItemReferences(Buffer.from(text)))).toEqual([]);
  });

  test('are found if their keys are written with escapes', () => {
    const escaped = Buffer.from('{"model":"m","input":[{"\\u0069d":"msg_1"}]}');
    expect(runToEnd(findItemReferences(escaped))).toEqual([{ id: 'msg_1', index: 0 }]);
  });

  test('are replaced by known items, and all else stays', () => {
    const replaced = runToEnd(replaceItemReferences(body, new Map([['msg_1', JSON.stringify(MESSAGE)]])));
    expect(replaced.toString().startsWith('{"model":"m", "input":[')).toBe(true);
    const { input } = JSON.parse(replaced.toString());
    expect(input).toEqual([...JSON.parse(body.toString()).input].toSpliced(1, 1, MESSAGE));
    expect(runToEnd(replaceItemReferences(body, new Map()))).toBe(body);
  });
});

describe('storableItems', () => {
  const response = { id: 'resp_1', output: [MESSAGE, { type: 'message', content: [] }, CALL] };
  const expected = [
    { id: 'msg_1', json: JSON.stringify(MESSAGE) },
    { id: 'fc_1', json: JSON.stringify(CALL) },
  ];

  test('are the items with an id, of a buffered response or the end of a stream', () => {
    expect(storableItems(Buffer.from(JSON.stringify(response)))).toEqual(expected);
    const event = { type: 'response.completed', sequence_number: 9, response };
    const stream = `: comment\n\nevent: response.completed\ndata: ${JSON.stringify(event)}\n\n`;
    expect(storableItems(Buffer.from(stream))).toEqual(expected);
  });

  test.each([
    ['', ''],
    ['an error', '{"error":{"message":"m"}}'],
    ['a broken body', '{"output":[{"id":"a"}'],
    [
      'a failed stream',
      'event: response.failed\ndata: {"type":"response.failed","response":{"output":[{"id":"a"}]}}\n\n',
    ],
  ])('are not found in anything else: %s', (_, text) => {
    expect(storableItems(Buffer.from(text))).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { runToEnd } from '../lists/stages.ts';
import type { Message } from './message.ts';
import type { ToolCallPart, ToolResultPart } from './part.ts';
import { callNames } from './tool-names.ts';

function call(id: string, name: string): ToolCallPart {
  return { type: 'tool-call', id, name, kind: 'function', input: '{}' };
}

function result(callId: string, name?: string): ToolResultPart {
  return { type: 'tool-result', callId, kind: 'function', parts: [], isError: false, ...(name && { name }) };
}

test('a result has its own name, or that of the last call before it with its id', () => {
  const [first, second, own, stray] = [result('a'), result('a'), result('b', 'mine'), result('z')];
  const messages: Message[] = [
    { role: 'assistant', parts: [call('a', 'weather'), call('b', 'time')] },
    { role: 'tool', parts: [first, own, stray] },
    { role: 'assistant', parts: [call('a', 'search')] },
    { role: 'tool', parts: [second] },
  ];
  expect([first, second, own, stray].map(runToEnd(callNames(messages)))).toEqual([
    'weather',
    'search',
    'mine',
    undefined,
  ]);
});

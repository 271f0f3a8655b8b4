import fc from 'fast-check';
import { expect, test } from 'vitest';
import { request } from '../../testing/canonical/arbitrary.ts';
import { runToEnd } from '../lists/stages.ts';
import type { Message } from './message.ts';
import { normalForm } from './normal-form.ts';

const say = (text: string) => [{ type: 'text', text }] as const;

test('merges adjacent messages of a role, except instructions and other names', () => {
  const messages: Message[] = [
    { role: 'system', parts: say('a') },
    { role: 'system', parts: say('b') },
    { role: 'user', parts: say('c'), at: 'messages[2]' },
    { role: 'user', parts: say('d'), at: 'messages[3]' },
    { role: 'user', parts: say('e'), name: 'Ann' },
    { role: 'assistant', parts: [] },
    { role: 'user', parts: say('f'), name: 'Ann' },
  ];
  expect(runToEnd(normalForm(messages))).toEqual([
    { role: 'system', parts: say('a') },
    { role: 'system', parts: say('b') },
    { role: 'user', parts: [...say('c'), ...say('d')], at: 'messages[2]' },
    { role: 'user', parts: [...say('e'), ...say('f')], name: 'Ann' },
  ]);
});

test('merges messages split into one part each', () => {
  fc.assert(
    fc.property(request({ manyInstructions: false }), ({ messages }) => {
      const split = messages.flatMap((message): Message[] => {
        switch (message.role) {
          case 'system':
          case 'developer':
            return [message];
          case 'user':
            return message.parts.map((part) => ({ ...message, parts: [part] }));
          case 'assistant':
            return message.parts.map((part) => ({ ...message, parts: [part] }));
          case 'tool':
            return message.parts.map((part) => ({ ...message, parts: [part] }));
          default:
            return message satisfies never;
        }
      });
      expect(runToEnd(normalForm(split))).toEqual(messages);
    }),
  );
});

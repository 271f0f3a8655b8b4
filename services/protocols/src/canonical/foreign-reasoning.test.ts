import fc from 'fast-check';
import { expect, test } from 'vitest';
import { request } from '../../testing/canonical/arbitrary.ts';
import { runToEnd } from '../lists/stages.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { withOwnReasoning } from './foreign-reasoning.ts';
import type { Message } from './message.ts';

const OWN = { origin: 'gemini', data: 'b3du' } as const;
const FOREIGN = { origin: 'anthropic-messages', data: 'Zm9yZWlnbg==' } as const;

test('drops reasoning of others with one warning, and keeps the turns in normal form', () => {
  const diagnostics = new Diagnostics();
  const messages: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'a' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', form: 'full', text: 'hm', opaque: FOREIGN, at: 'messages[1].content[0]' },
        { type: 'reasoning', form: 'full', text: 'unsigned' },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'b' }] },
  ];
  expect(runToEnd(withOwnReasoning(messages, 'gemini', diagnostics))).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
  ]);
  expect(diagnostics.warnings.map((warning) => warning.path)).toEqual(['messages[1].content[0]']);
  expect(diagnostics.errors).toEqual([]);
});

test('keeps own reasoning and signatures', () => {
  const diagnostics = new Diagnostics();
  const messages: Message[] = [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', form: 'summary', text: 'hm', opaque: OWN },
        { type: 'text', text: 'a', opaque: OWN },
        { type: 'text', text: 'b', opaque: FOREIGN },
      ],
    },
  ];
  expect(runToEnd(withOwnReasoning(messages, 'gemini', diagnostics))).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', form: 'summary', text: 'hm', opaque: OWN },
        { type: 'text', text: 'a', opaque: OWN },
        { type: 'text', text: 'b' },
      ],
    },
  ]);
  expect(diagnostics.warnings).toEqual([]);
});

test('loses nothing of a conversation with only own reasoning', () => {
  fc.assert(
    fc.property(request({ origins: ['gemini'], unsignedReasoning: false }), ({ messages }) => {
      expect(runToEnd(withOwnReasoning(messages, 'gemini', new Diagnostics()))).toEqual(messages);
    }),
  );
});

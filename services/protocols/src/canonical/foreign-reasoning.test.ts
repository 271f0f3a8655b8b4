import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runToEnd } from '../lists/stages.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { withOwnReasoning } from './foreign-reasoning.ts';
import type { Message } from './message.ts';
import { request } from './testing/arbitrary.ts';

const OWN = { origin: 'gemini', data: 'b3du' } as const;
const FOREIGN = { origin: 'anthropic-messages', data: 'Zm9yZWlnbg==' } as const;

test("others' thoughts are left out with one warning, and the turns stay in normal form", () => {
  const diagnostics = new Diagnostics();
  const messages: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'a' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', form: 'full', text: 'hm', opaque: FOREIGN, at: 'messages[1].content[0]' },
        { type: 'reasoning', form: 'full', text: 'unsealed' },
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

test('own thoughts stay, and carried signatures are put back', () => {
  const diagnostics = new Diagnostics();
  const messages: Message[] = [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', form: 'summary', text: 'hm', opaque: OWN },
        { type: 'text', text: 'a' },
        { type: 'reasoning', form: 'full', text: '', opaque: { ...OWN, ofPrevious: true } },
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

test('nothing is lost of a conversation whose thoughts are all its own', () => {
  fc.assert(
    fc.property(request({ origins: ['gemini'], unsignedReasoning: false }), ({ messages }) => {
      expect(runToEnd(withOwnReasoning(messages, 'gemini', new Diagnostics()))).toEqual(messages);
    }),
  );
});

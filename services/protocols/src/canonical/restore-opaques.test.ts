import { describe, expect, test } from 'vitest';
import { runToEnd } from '../lists/stages.ts';
import type { Message } from './message.ts';
import type { Opaque, OpaqueTarget } from './opaque.ts';
import type { OutputPart, ReasoningPart, ToolCallPart } from './part.ts';
import { restoredTurns, restoreParts } from './restore-opaques.ts';
import { textFingerprint } from './text-fingerprint.ts';

const SIGNATURE: Opaque = { origin: 'gemini', data: 'c2ln' };
const TEXT = { type: 'text', text: 'Let me look.' } as const;

function call(id: string, more: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: 'tool-call', id, name: 'f', kind: 'function', input: '{}', ...more };
}

function carrier(of: OpaqueTarget, text = ''): ReasoningPart {
  return { type: 'reasoning', form: 'full', text, opaque: { ...SIGNATURE, of } };
}

describe('a value that names its part', () => {
  test.each([
    ['before it', [carrier({ call: 'b' }), call('a'), call('b')]],
    ['between texts and calls, as Claude Code puts it', [TEXT, carrier({ call: 'b' }), call('a'), call('b')]],
    ['after all', [call('a'), call('b'), carrier({ call: 'b' })]],
  ])('is found %s', (_, parts) => {
    const calls = restoreParts(parts).filter(({ type }) => type === 'tool-call');
    expect(calls).toEqual([call('a'), call('b', { opaque: SIGNATURE })]);
  });

  test('leaves the reasoning that it came in', () => {
    const thought: ReasoningPart = { type: 'reasoning', form: 'full', text: 'Hm.' };
    expect(restoreParts([carrier({ call: 'a' }, 'Hm.'), call('a')])).toEqual([
      thought,
      call('a', { opaque: SIGNATURE }),
    ]);
  });

  test('is dropped with its part', () => {
    expect(restoreParts([carrier({ call: 'gone' }), call('a')])).toEqual([call('a')]);
    const other: OutputPart[] = [TEXT, { type: 'text', text: 'More.' }];
    expect(restoreParts([carrier({ text: textFingerprint('Gone.') }), ...other])).toEqual(other);
  });

  test('does not replace another', () => {
    const own = call('a', { opaque: { origin: 'gemini', data: 'b3du' } });
    expect(restoreParts([carrier({ call: 'a' }), own])).toEqual([own]);
  });

  test('finds a text whose white space the client changed, and the only one if it joined texts', () => {
    const of = { text: textFingerprint('Let me look.\n') };
    expect(restoreParts([carrier(of), TEXT, { type: 'text', text: 'b' }])[0]).toEqual({ ...TEXT, opaque: SIGNATURE });
    const joined = { type: 'text', text: 'Let me look.And more.' } as const;
    expect(restoreParts([joined, carrier(of)])).toEqual([{ ...joined, opaque: SIGNATURE }]);
  });
});

test('a value of earlier versions belongs to the part before it', () => {
  expect(restoreParts([TEXT, call('a'), carrier('previous'), call('b')])).toEqual([
    TEXT,
    call('a', { opaque: SIGNATURE }),
    call('b'),
  ]);
});

describe('reasoning that a call carries', () => {
  const signed: Opaque = { origin: 'anthropic-messages', data: 'EqMC' };
  const first: ReasoningPart = { type: 'reasoning', form: 'full', text: 'One.', opaque: signed };
  const second: ReasoningPart = { type: 'reasoning', form: 'full', text: 'Two.', opaque: { ...signed, data: 'EqMD' } };
  const thoughts = [
    { form: 'full', text: 'One.', opaque: signed, texts: 0 },
    { form: 'full', text: 'Two.', opaque: { ...signed, data: 'EqMD' }, texts: 1 },
  ] as const;

  test.each<[string, OutputPart[]]>([
    ['nothing', []],
    ['one text without signatures', [{ type: 'reasoning', form: 'full', text: 'One.Two.' }]],
    ['all', [first, second]],
  ])('replaces what the client returned: %s', (_, returned) => {
    const parts = [...returned, TEXT, call('a', { thoughts }), call('b')];
    expect(restoreParts(parts)).toEqual([first, TEXT, second, call('a'), call('b')]);
  });

  test('goes before the call if the client dropped the texts', () => {
    expect(restoreParts([call('a', { thoughts })])).toEqual([first, second, call('a')]);
  });
});

test('parts of a turn that the client split are found, and turns that become empty are left out', () => {
  const user: Message = { role: 'user', parts: [TEXT] };
  const assistant = (...parts: OutputPart[]): Message => ({ role: 'assistant', parts });
  const split = [user, assistant(carrier({ call: 'a' })), assistant(TEXT), assistant(call('a'))];
  expect(runToEnd(restoredTurns(split))).toEqual([user, assistant(TEXT, call('a', { opaque: SIGNATURE }))]);
  const empty = [user, assistant(carrier({ call: 'gone' })), user];
  expect(runToEnd(restoredTurns(empty))).toEqual([{ role: 'user', parts: [TEXT, TEXT] }]);
});
